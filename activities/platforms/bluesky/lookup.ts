// Gets the public documents of an identity, with a time limit. The guarded fetch limits their size.
import { callNetwork, isSuccess } from '../json-client.ts';
import { PlatformError } from '../platform-error.ts';
import type { Fetch } from '../platform.ts';

const timeoutMs = 4_000;
const headers = { accept: 'application/did+ld+json, application/json, text/plain' };

/**
 * Returns parsed JSON, or the text if it isn't JSON. Null: the document doesn't exist. Throws `unavailable`,
 * or `rejected` if the URL guard refuses.
 */
export async function getDocument(fetch: Fetch, url: string, given: AbortSignal): Promise<unknown> {
  const signal = AbortSignal.any([given, AbortSignal.timeout(timeoutMs)]);
  const answer = await callNetwork(fetch, { url, headers, kind: 'other', signal });
  if (isSuccess(answer)) return answer.body;
  const { status } = answer;
  if (status >= 500 || status === 408 || status === 429) {
    throw new PlatformError('unavailable', `${new URL(url).host} answered ${status}.`);
  }
  return null;
}

/** Also returns null if the host, which a user named, doesn't exist or must not be reached. */
export async function getUserHostedDocument(
  fetch: Fetch,
  url: string,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    return await getDocument(fetch, url, signal);
  } catch (error) {
    const { kind, options } = error as PlatformError;
    if (kind === 'rejected' || options.platformCode === 'ENOTFOUND') return null;
    throw error;
  }
}
