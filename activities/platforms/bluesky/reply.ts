// The references of a reply on Bluesky: the post that it replies to, and the first post of the thread.
import { z } from 'zod';
import type { OpenApi } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { Target } from '../platform.ts';
import { readCredentials } from './session.ts';

/** A record in exactly one version. */
const Ref = z.object({ uri: z.string().startsWith('at://'), cid: z.string().min(1) });
type Ref = z.infer<typeof Ref>;

const Found = Ref.extend({ value: z.unknown() });
const Answering = z.object({ reply: z.object({ root: Ref }) });

const uriPattern = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/;

/**
 * Null: the post is no reply. The account's PDS knows its own records, and asks the app view for others.
 * @see https://docs.bsky.app/docs/advanced-guides/posts
 */
export async function resolveReply(
  open: OpenApi,
  { replyTo, credentials }: Target,
  signal: AbortSignal,
): Promise<{ root: Ref; parent: Ref } | null> {
  if (replyTo === null) return null;
  const { access } = readCredentials(credentials);
  const [, repo = '', collection = '', rkey = ''] = uriPattern.exec(replyTo) ?? [];
  const ask = open(access, signal);
  const call = { query: { repo, collection, rkey } };
  const { body } = await ask('com.atproto.repo.getRecord', Found, call).catch((error: unknown) => {
    throw error instanceof PlatformError && error.kind === 'rejected' ? notFound(error) : error;
  });
  const { uri, cid, value } = body;
  const parent = { uri, cid };
  return { root: Answering.safeParse(value).data?.reply.root ?? parent, parent };
}

/** Covers every refusal of a PDS: a missing record, repository or takedown. */
function notFound(error: PlatformError): PlatformError {
  return new PlatformError('rejected', 'The post to answer is not on Bluesky.', {
    platformCode: 'reply_to_not_found',
    providerError: error.options.providerError,
    cause: error,
  });
}
