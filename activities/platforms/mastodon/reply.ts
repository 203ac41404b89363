// What an answer takes from the post that it answers.
import { z } from 'zod';
import { PlatformError } from '../platform-error.ts';
import type { ProviderState, Target } from '../platform.ts';
import type { Send } from './client.ts';

/** Limited ones are shown as `private`. @see https://docs.joinmastodon.org/entities/Status/#visibility */
const Answered = z.object({ visibility: z.string() });

/**
 * A server would publish an answer to a private post as the account's other posts, so it is kept among
 * those who see that post.
 */
export async function prepareReply(
  send: Send,
  { replyTo, credentials }: Target,
  signal: AbortSignal,
): Promise<ProviderState> {
  if (replyTo === null) return {};
  const path = `/api/v1/statuses/${encodeURIComponent(replyTo)}`;
  const call = { credentials, path, kind: 'other', answer: Answered, signal } as const;
  const { visibility } = (await send(call).catch(toMissing)).body;
  return visibility === 'private' || visibility === 'direct' ? { visibility } : {};
}

function toMissing(error: unknown): never {
  if (!(error instanceof PlatformError) || error.kind !== 'rejected') throw error;
  const message = 'The post to answer is not on this Mastodon server.';
  const platformCode = 'reply_to_not_found';
  throw new PlatformError('rejected', message, { ...error.options, platformCode });
}
