// GraphQL as clients use it: queries with one answer, and subscriptions over WebSocket and SSE.
import { createClient } from 'graphql-ws';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { createApi } from '../app/api.ts';
import type { TestApp } from '../app/app.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests read messages freely
export type Message = any;

/** The data of an answer that must have no errors. */
export async function ask(
  app: TestApp,
  query: string,
  variables: Record<string, unknown> = {},
  key = app.tenant.key,
): Promise<Message> {
  const { body, status } = await createApi(app.url, key).graphql(query, variables);
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  return body.data;
}

/** The first error of an answer that must have an error: its extensions, path and message. */
export async function askRefused(
  app: TestApp,
  query: string,
  variables: Record<string, unknown> = {},
  key = app.tenant.key,
): Promise<Message> {
  const { body } = await createApi(app.url, key).graphql(query, variables);
  expect(body.errors?.[0], JSON.stringify(body)).toBeDefined();
  const { extensions, path, message } = body.errors[0];
  return { ...extensions, path, message };
}

export interface Subscription extends AsyncDisposable {
  readonly messages: readonly Message[];
  /** Resolves with the code with which the server closed the socket. With SSE, the code is 0. */
  readonly closed: Promise<number>;
  /** Resolves with all messages, once there are `count` of them. */
  waitFor(count: number, timeoutMs?: number): Promise<readonly Message[]>;
  /** Resolves with all messages, as soon as `isLast` accepts a message. */
  until(isLast: (message: Message) => boolean, timeoutMs?: number): Promise<readonly Message[]>;
  close(): Promise<void>;
}

export interface SubscribeOptions {
  url: string;
  key?: string;
  connectionParams?: Record<string, unknown>;
  query: string;
  variables?: Record<string, unknown>;
  /** Further members of the message that starts the operation, such as `documentId`. */
  payload?: Record<string, unknown>;
}

/**
 * Changes wait for every older transaction of the server, and another test may keep a transaction open for 10
 * s.
 */
const messageTimeoutMs = 20_000;

function createInbox() {
  const messages: Message[] = [];
  const watchers = new Set<() => void>();
  const closed = Promise.withResolvers<number>();

  async function until(isLast: (message: Message) => boolean, timeoutMs = messageTimeoutMs) {
    let check = () => {};
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<readonly Message[]>((resolve, reject) => {
        check = () => {
          if (messages.some(isLast)) resolve(messages);
        };
        timer = setTimeout(
          () => reject(new Error(`Not within ${timeoutMs} ms; came: ${JSON.stringify(messages)}`)),
          timeoutMs,
        );
        watchers.add(check);
        check();
      });
    } finally {
      clearTimeout(timer);
      watchers.delete(check);
    }
  }
  return {
    messages,
    closed: closed.promise,
    push(message: Message) {
      messages.push(message);
      for (const watcher of watchers) watcher();
    },
    end: (code: number) => closed.resolve(code),
    until,
    waitFor: (count: number, timeoutMs?: number) =>
      until(() => messages.length >= count, timeoutMs),
  };
}

export function subscribeOverSocket(options: SubscribeOptions): Subscription {
  const { url, key, query, variables = {}, payload = {} } = options;
  const inbox = createInbox();
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: options.connectionParams ?? (key ? { authorization: `Bearer ${key}` } : {}),
    on: { closed: (event) => inbox.end((event as { code: number }).code) },
    onNonLazyError: () => {},
  });
  const stop = client.subscribe<Message>(
    { query, variables, ...payload },
    {
      next: (message) => inbox.push(message),
      error: (error) => inbox.push({ failed: error }),
      complete: () => {},
    },
  );
  async function close(): Promise<void> {
    stop();
    await client.dispose();
  }
  return { ...inbox, close, [Symbol.asyncDispose]: close };
}

export async function subscribeOverSse(options: SubscribeOptions): Promise<Subscription> {
  const { url, key, query, variables = {} } = options;
  const inbox = createInbox();
  const abort = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    signal: abort.signal,
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(key ? { authorization: `Bearer ${key}` } : {}),
    },
    body: JSON.stringify({ query, variables }),
  });
  const reading = (async () => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const data = /^data: ?(.+)$/m.exec(block)?.[1];
        if (data) inbox.push(JSON.parse(data));
      }
    }
  })()
    .catch(() => undefined)
    .then(() => inbox.end(0));
  async function close(): Promise<void> {
    abort.abort();
    await reading;
  }
  return { ...inbox, close, [Symbol.asyncDispose]: close };
}
