// Opens and closes the browser's session. Neither a key nor a code is kept.
import { sessionHeaders } from '../api/client.ts';

export type SignIn = { api_key: string } | { code: string };

interface ErrorBody {
  error?: { message: string; hint?: string | null; issues?: { message: string }[] };
}

const unreachable = 'The server does not answer. Try again in a moment.';

/** Returns what is wrong, or undefined. */
export async function signIn(given: SignIn): Promise<string | undefined> {
  const response = await send('POST', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(given),
  });
  if (response?.ok) return undefined;
  const error = await readError(response);
  if (!error) return unreachable;
  const { issues } = error;
  const name = 'code' in given ? 'The link' : 'The key';
  const [issue] = issues ?? [];
  return issue ? `${name} ${issue.message}.` : toText(error);
}

/** Returns what is wrong, or undefined. A session that has ended is no problem. */
export async function signOut(): Promise<string | undefined> {
  const response = await send('DELETE', { headers: sessionHeaders });
  if (response?.ok || response?.status === 401) return undefined;
  const error = await readError(response);
  return error ? toText(error) : unreachable;
}

async function readError(response: Response | undefined): Promise<ErrorBody['error']> {
  const body = (await response?.json().catch(() => undefined)) as ErrorBody | undefined;
  return body?.error;
}

const toText = ({ message, hint }: NonNullable<ErrorBody['error']>): string =>
  [message, hint].filter(Boolean).join(' ');

async function send(method: string, init: RequestInit): Promise<Response | undefined> {
  return fetch('/dashboard/session', { method, ...init }).catch(() => undefined);
}

/** The one-time code of the address, which is removed at once: the history must not keep it. */
export function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined;
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  return code;
}
