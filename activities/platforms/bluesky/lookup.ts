// GETs of the public texts that make an identity, bounded in time; the guarded fetch bounds their bytes.
import type { Fetch } from '../platform.ts';
import { PlatformError } from '../platform-error.ts';
import { toTransportError } from '../transport-errors.ts';

const timeoutMs = 4_000;

/** Null: there is no such text. Throws `unavailable`, or `rejected` where the URL guard refuses. */
export async function getText(
  fetch: Fetch,
  url: string,
  signal: AbortSignal,
): Promise<string | null> {
  const { status, text } = await read(fetch, url, signal).catch((error: unknown) => {
    throw toTransportError(error, 'other', url);
  });
  if (status >= 200 && status < 300) return text;
  if (status >= 500 || status === 408 || status === 429) {
    throw new PlatformError('unavailable', `${new URL(url).host} answered ${status}.`);
  }
  return null;
}

/** At a host that a user names: one that doesn't exist, or may not be reached, has no text either. */
export async function getUserHostedText(
  fetch: Fetch,
  url: string,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return await getText(fetch, url, signal);
  } catch (error) {
    const { kind, options } = error as PlatformError;
    if (kind === 'rejected' || options.platformCode === 'ENOTFOUND') return null;
    throw error;
  }
}

async function read(fetch: Fetch, url: string, signal: AbortSignal) {
  const response = await fetch(url, {
    headers: { accept: 'application/did+ld+json, application/json, text/plain' },
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  return { status: response.status, text: await response.text() };
}
