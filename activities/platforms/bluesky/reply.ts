// What a reply on Bluesky names: the post that it answers and the one that began the thread.
import { z } from 'zod';
import { toSurprise } from './errors.ts';
import { readCredentials } from './session.ts';
import type { Send } from './xrpc.ts';
import { PlatformError } from '../platform-error.ts';
import type { Target } from '../platform.ts';

/** A record in exactly one version. */
const Ref = z.object({ uri: z.string().startsWith('at://'), cid: z.string().min(1) });
type Ref = z.infer<typeof Ref>;

const Found = Ref.extend({ value: z.unknown() });
const Answering = z.object({ reply: z.object({ root: Ref }) });

const uriPattern = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/;

/**
 * Null: the post answers none. The account's PDS knows its own records, and asks the app view for those
 * of others.
 * @see https://docs.bsky.app/docs/advanced-guides/posts
 */
export async function resolveReply(
  send: Send,
  { replyTo, credentials }: Target,
  signal: AbortSignal,
): Promise<{ root: Ref; parent: Ref } | null> {
  if (replyTo === null) return null;
  const { service, accessJwt } = readCredentials(credentials);
  const [, repo = '', collection = '', rkey = ''] = uriPattern.exec(replyTo) ?? [];
  const method = 'com.atproto.repo.getRecord';
  const query = { repo, collection, rkey };
  const call = { kind: 'prepare', service, method, query, token: accessJwt, signal } as const;
  const { body } = await send(call).catch((error: unknown) => {
    throw error instanceof PlatformError && error.kind === 'rejected' ? notFound(error) : error;
  });
  const found = Found.safeParse(body);
  if (!found.success) throw toSurprise('the post to answer', 'prepare');
  const { uri, cid, value } = found.data;
  const parent = { uri, cid };
  return { root: Answering.safeParse(value).data?.reply.root ?? parent, parent };
}

/** Whatever a PDS calls it: no record, no such repository, or one taken down. */
function notFound(error: PlatformError): PlatformError {
  return new PlatformError('rejected', 'The post to answer is not on Bluesky.', {
    platformCode: 'reply_to_not_found',
    providerError: error.options.providerError,
    cause: error,
  });
}
