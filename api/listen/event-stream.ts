// The subscription that `listen` follows, as a client: resumed by its cursor however often it breaks.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import { toEnumWord } from '../../schema/enum-word.ts';
import type { EventKind } from '../../schema/events.ts';
import { breakOf, Refusal } from './refusal.ts';

export interface StreamedEvent {
  id: string;
  /** As webhooks receive it. */
  body: string;
  postId: string | null;
  socialAccountId: string | null;
}

export interface StreamStep {
  /** Where to go on after it. */
  cursor: string;
  /** Null: it is not kept any more. */
  event: StreamedEvent | null;
}

export interface EventStreamOptions {
  /** Of the API, without a slash at its end. */
  url: string;
  key: string;
  /** Undefined: all. */
  kinds: readonly EventKind[] | undefined;
  /** The test events instead of the real ones. */
  isTest: boolean;
  /** Told once when the connection is lost, and once when it is there again. */
  onLost: (reason: string) => void;
  onFound: () => void;
  /** Ends the stream. */
  signal: AbortSignal;
}

export interface EventStream {
  /** Where the project's events stand now. Throws a Refusal where Fanfare can't be asked. */
  readCursor(): Promise<string>;
  /** Every event after the cursor, in order. Ends with the signal, or throws a Refusal. */
  after(cursor: string): AsyncGenerator<StreamStep, void, undefined>;
}

const liveCursor = '{ liveCursor }';
const eventRecorded = `subscription ($kinds: [EventKind!], $test: Boolean, $after: String) {
  eventRecorded(kinds: $kinds, test: $test, after: $after) {
    cursor
    event { id body postId socialAccountId }
  }
}`;

const answerWithinMs = 10_000;
const pingEveryMs = 15_000;
const firstWaitMs = 250;
const longestWaitMs = 5_000;
/** Beyond this many the rest is left at the server, to be asked for when these are dealt with. */
const maxWaiting = 500;

export function openEventStream(options: EventStreamOptions): EventStream {
  const { url, signal } = options;
  const client = connect(options);

  async function readCursor(): Promise<string> {
    try {
      for await (const { data, errors } of client.iterate<{ liveCursor: string }>({
        query: liveCursor,
      })) {
        if (!data) throw errors;
        return data.liveCursor;
      }
      throw new Error('it ended the connection');
    } catch (error) {
      const { reason, isFinal } = breakOf(error);
      throw new Refusal(isFinal ? reason : `Fanfare can't be reached at ${url}: ${reason}`);
    }
  }

  async function* after(cursor: string): AsyncGenerator<StreamStep, void, undefined> {
    let reached = cursor;
    let waitMs = firstWaitMs;
    let isLost = false;
    const stopWatching = client.on('connected', () => {
      if (isLost) options.onFound();
      isLost = false;
    });
    try {
      while (!signal.aborted) {
        try {
          for await (const step of subscribe(client, options, reached)) {
            yield step;
            reached = step.cursor;
            waitMs = firstWaitMs;
          }
        } catch (error) {
          if (signal.aborted) return;
          const { reason, isFinal } = breakOf(error);
          if (isFinal) throw new Refusal(reason);
          if (!isLost) options.onLost(reason);
          isLost = true;
          await sleep(waitMs, undefined, { signal }).catch(() => undefined);
          waitMs = Math.min(waitMs * 2, longestWaitMs);
        }
      }
    } finally {
      stopWatching();
    }
  }

  return { readCursor, after };
}

/** Without retries of its own, which would begin again at the first cursor. */
function connect({ url, key, signal }: EventStreamOptions): Client {
  const sockets = new Set<WebSocket>();
  class Socket extends WebSocket {
    constructor(address: string, protocols: string) {
      super(address, protocols, { handshakeTimeout: answerWithinMs });
      sockets.add(this);
      this.once('close', () => sockets.delete(this));
    }
  }
  const cut = () => sockets.forEach((socket) => socket.terminate());
  signal.addEventListener('abort', cut, { once: true });
  let unanswered: NodeJS.Timeout | undefined;
  return createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    connectionParams: { authorization: `Bearer ${key}` },
    webSocketImpl: Socket,
    retryAttempts: 0,
    connectionAckWaitTimeout: answerWithinMs,
    lazyCloseTimeout: 1_000,
    keepAlive: pingEveryMs,
    on: {
      // A machine that slept, or a line that was cut, closes nothing.
      ping: (isReceived) => {
        if (!isReceived) unanswered = setTimeout(cut, answerWithinMs);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(unanswered);
      },
      closed: () => clearTimeout(unanswered),
    },
  });
}

interface EventMessage {
  eventRecorded: StreamStep | null;
}

/** Ends early, and in order, when more waits here than is dealt with. */
async function* subscribe(
  client: Client,
  { kinds, isTest }: EventStreamOptions,
  after: string,
): AsyncGenerator<StreamStep, void, undefined> {
  const waiting: StreamStep[] = [];
  let broken: { error: unknown } | undefined;
  let isFull = false;
  let wake = () => {};
  const fail = (error: unknown) => {
    broken ??= { error };
    wake();
  };
  const variables = { kinds: kinds?.map(toEnumWord), test: isTest, after };
  const stop = client.subscribe<EventMessage>(
    { query: eventRecorded, variables },
    {
      next({ data, errors }) {
        if (isFull || broken) return;
        if (!data?.eventRecorded) return fail(errors);
        waiting.push(data.eventRecorded);
        if (waiting.length >= maxWaiting) {
          isFull = true;
          stop();
        }
        wake();
      },
      error: fail,
      complete: () => fail(new Error('the stream was ended')),
    },
  );
  try {
    for (;;) {
      const step = waiting.shift();
      if (step) yield step;
      else if (isFull) return;
      else if (broken) throw broken.error;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stop();
  }
}
