// The WebSocket of all streams. A stream that broke off resumes after the last message that arrived.
import type { SubscriptionForwarder } from '@urql/core';
import { createClient, type Client } from 'graphql-ws';
import { connection } from './connection.ts';

type Request = Parameters<SubscriptionForwarder>[0];
interface Message {
  data?: Record<string, { cursor?: string } | null> | null;
  errors?: readonly { extensions?: { isRetriable?: boolean } }[];
}
export interface Sink {
  next(message: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

const signedOut = 4401;
const pongWithinMs = 5_000;
const longestWaitMs = 8_000;

export interface Socket {
  subscribe(request: Request, sink: Sink): () => void;
  close(): void;
}

/** `onSignedOut` is called when the server no longer accepts the session. */
export function openSocket(onSignedOut: () => void): Socket {
  let pong: ReturnType<typeof setTimeout> | undefined;
  const url = new URL('/graphql', location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const client: Client = createClient({
    url: url.href,
    connectionParams: { session: true },
    retryAttempts: Infinity,
    shouldRetry: (event) => (event as Partial<CloseEvent>).code !== signedOut,
    retryWait: (tries) =>
      new Promise((resume) => setTimeout(resume, Math.min(250 * 2 ** tries, longestWaitMs))),
    // A server that is cut off closes nothing, so the client asks whether it is there.
    keepAlive: 10_000,
    on: {
      connected: () => connection.set(false),
      ping: (isReceived) => {
        if (!isReceived) pong = setTimeout(() => client.terminate(), pongWithinMs);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(pong);
      },
      closed: (event) => {
        clearTimeout(pong);
        const { code } = event as CloseEvent;
        if (code === signedOut) onSignedOut();
        else if (code !== 1000) connection.set(true);
      },
    },
  });
  return {
    subscribe: (request, sink) => subscribe(client, request, sink),
    close: () => void client.dispose(),
  };
}

/** See docs/live.md: the libraries send the same variables again, so the cursor in them is kept current. */
function subscribe(client: Client, request: Request, sink: Sink): () => void {
  const variables: Record<string, unknown> = { ...request.variables };
  let stop: () => void = () => {};
  let timer: ReturnType<typeof setTimeout>;
  let isBroken = false;
  const again = () => void (timer = setTimeout(start, 1_000));
  function start(): void {
    stop = client.subscribe(
      { query: request.query ?? '', variables },
      {
        next(result) {
          const message = result as Message;
          const [update] = Object.values(message.data ?? {});
          if (update?.cursor) variables['after'] = update.cursor;
          isBroken = !update && (message.errors?.[0]?.extensions?.isRetriable ?? false);
          if (!isBroken) sink.next(result);
        },
        error: (error) => sink.error(error),
        complete: () => (isBroken ? again() : sink.complete()),
      },
    );
  }
  start();
  return () => {
    clearTimeout(timer);
    stop();
  };
}
