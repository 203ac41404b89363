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
  const body = (await response?.json().catch(() => undefined)) as ErrorBody | undefined;
  if (!body?.error) return unreachable;
  const { message, hint, issues } = body.error;
  const name = 'code' in given ? 'The link' : 'The key';
  const [issue] = issues ?? [];
  return issue ? `${name} ${issue.message}.` : [message, hint].filter(Boolean).join(' ');
}

export async function signOut(): Promise<void> {
  await send('DELETE', { headers: sessionHeaders });
}

async function send(method: string, init: RequestInit): Promise<Response | undefined> {
  return fetch('/dashboard/session', { method, ...init }).catch(() => undefined);
}

/** The one-time code of the address, which is removed at once: the history must not keep it. */
export function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined;
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  return code;
}
