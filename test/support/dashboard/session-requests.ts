// What a browser sends to the dashboard's server: sign-ins, requests with the cookie of a session, and sockets.
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { TestApp } from '../app/app.ts';

export interface Asked {
  method?: string;
  cookie?: string;
  /** Null: none. Default: the server's own. */
  origin?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

interface QueryBody {
  data: { currentApiKey: { apiKey: { id: string } } };
  errors: { extensions: { code: string } }[];
}

interface SocketOptions {
  origin?: string | undefined;
  params?: object;
}

export const withSession = { 'X-Fanfare-Session': '1' };
export const cookieOf = (answer: Response) => answer.headers.getSetCookie()[0]!.split(';', 1)[0]!;

export function sessionRequests(app: TestApp) {
  function ask(
    path: string,
    { method = 'POST', cookie, origin = app.url, body, headers }: Asked = {},
  ): Promise<Response> {
    return fetch(`${app.url}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        'Content-Type': 'application/json',
        ...(cookie !== undefined && { Cookie: cookie }),
        ...(origin !== null && { Origin: origin }),
        ...headers,
      },
    });
  }

  /** Returns the cookie. */
  async function signIn(key: string = app.tenant.key): Promise<string> {
    const answer = await ask('/dashboard/session', { body: { api_key: key } });
    expect(answer.status).toBe(204);
    return cookieOf(answer);
  }

  async function query(cookie: string, asked: Asked = {}) {
    const body = { query: '{ currentApiKey { apiKey { id name } } }' };
    const answer = await ask('/graphql', { body, cookie, headers: withSession, ...asked });
    return { status: answer.status, body: (await answer.json()) as QueryBody };
  }

  async function makeKey(extra: object = {}): Promise<{ id: string; key: string }> {
    const { body } = await app.api.post('/v1/api-keys', { name: 'brief', ...extra });
    return body.data;
  }

  function openSocket(cookie: string, { origin, params = { session: true } }: SocketOptions = {}) {
    const url = `${app.url.replace('http', 'ws')}/graphql`;
    const socket = new WebSocket(url, 'graphql-transport-ws', {
      headers: { Cookie: cookie, ...(origin === '' ? {} : { Origin: origin ?? app.url }) },
    });
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: params })),
    );
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    const acknowledged = new Promise<boolean>((resolve) => {
      socket.on('message', (data: Buffer) =>
        resolve(JSON.parse(data.toString()).type === 'connection_ack'),
      );
      socket.on('close', () => resolve(false));
    });
    return { closed, acknowledged, close: () => socket.close() };
  }

  return { ask, signIn, query, makeKey, openSocket };
}
