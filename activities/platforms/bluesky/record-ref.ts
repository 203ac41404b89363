// References to other posts: the one that a post replies to, the first one of its thread, and a quoted one.
import { z } from 'zod';
import { quotedPost } from '../../../schema/platforms/bluesky.ts';
import type { Ask } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';

/** Refers to exactly one version of a record. */
const Ref = z.object({ uri: z.string().startsWith('at://'), cid: z.string().min(1) });
export type Ref = z.infer<typeof Ref>;
const Found = Ref.extend({ value: z.unknown() });
const Answering = z.object({ reply: z.object({ root: Ref }) });

const uriPattern = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/;

/**
 * The post that the target replies to, and the first post of its thread. Undefined: the target is no reply.
 * @see https://docs.bsky.app/docs/advanced-guides/posts
 */
export async function resolveReply(ask: Ask, replyTo: string | null) {
  if (replyTo === null) return undefined;
  const [, repo = '', collection = '', rkey = ''] = uriPattern.exec(replyTo) ?? [];
  const { value, ...parent } = await findRecord(ask, { repo, collection, rkey }, 'reply_to');
  return { root: Answering.safeParse(value).data?.reply.root ?? parent, parent };
}

/** `quote`: the option, which names the author by a handle or a DID. */
export async function resolveQuote(ask: Ask, quote: string | undefined): Promise<Ref | undefined> {
  if (quote === undefined) return undefined;
  const [, inUri, inAddress, rkey = ''] = quotedPost.exec(quote) ?? [];
  const place = { repo: inUri ?? inAddress ?? '', collection: 'app.bsky.feed.post', rkey };
  const { uri, cid } = await findRecord(ask, place, 'quote');
  return { uri, cid };
}

/** The account's PDS knows its own records, and asks the app view for others. */
async function findRecord(
  ask: Ask,
  query: Record<'repo' | 'collection' | 'rkey', string>,
  purpose: keyof typeof verbs,
) {
  const method = 'com.atproto.repo.getRecord';
  const { body } = await ask(method, Found, { query }).catch((error: unknown) => {
    const isRefused = error instanceof PlatformError && error.kind === 'rejected';
    throw isRefused ? notFound(error, purpose) : error;
  });
  return body;
}

const verbs = { reply_to: 'reply to', quote: 'quote' } as const;

/** Whenever a PDS refuses the read, the record or its repository is missing or was taken down. */
function notFound(error: PlatformError, purpose: keyof typeof verbs): PlatformError {
  return new PlatformError('rejected', `The post to ${verbs[purpose]} is not on Bluesky.`, {
    platformCode: `${purpose}_not_found`,
    providerError: error.options.providerError,
    cause: error,
  });
}
