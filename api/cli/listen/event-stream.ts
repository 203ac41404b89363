// The subscription that `listen` follows, as a client: resumed by its cursor however often it breaks.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import { toEnumWord } from '../../../schema/wire/enum-word.ts';
import type { EventType } from '../../../schema/events.ts';
import { eventRecorded, liveCursor } from './documents.ts';
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
  /** Null: only the cursor is newer. */
  event: StreamedEvent | null;
}

export interface EventStreamOptions {
  /** Of the API, without a slash at its end. */
  url: string;
  key: string;
  /** Undefined: all. */
  types: readonly EventType[] | undefined;
  /** The test events instead of the real ones. */
  isTest: boolean;
  /** Told in turn: once when the stream breaks, however often it is tried again, once when it stands. */
  onBroken: (reason: string) => void;
  onMended: () => void;
  /** Ends the stream. */
  signal: AbortSignal;
}

export interface EventStream {
  /** Where the project's events stand now. Throws a Refusal where Fanfare can't be asked. */
  readCursor(): Promise<string>;
  /** Every event after the cursor, in order. Ends with the signal, or throws a Refusal. */
  after(cursor: string): AsyncGenerator<StreamStep, void, undefined>;
}

const answerWithinMs = 10_000;
const pingEveryMs = 15_000;
const firstWaitMs = 250;
const longestWaitMs = 5_000;
/** Beyond this many the rest is left at the server, to be asked for when these are dealt with. */
const maxWaiting = 500;

export function openEventStream(options: EventStreamOptions): EventStream {
  const { url, signal } = options;
  const client = connect(options);

  async function askCursor(): Promise<string> {
    for await (const { data, errors } of client.iterate<{ liveCursor: string }>({
      query: liveCursor,
    })) {
      if (!data) throw errors;
      return data.liveCursor;
    }
    throw new Error('it ended the connection');
  }

  async function readCursor(): Promise<string> {
    try {
      return await askCursor();
    } catch (error) {
      const { reason, isFinal } = breakOf(error);
      throw new Refusal(isFinal ? reason : `Fanfare can't be reached at ${url}: ${reason}`);
    }
  }

  async function* after(cursor: string): AsyncGenerator<StreamStep, void, undefined> {
    let reached = cursor;
    let waitMs = firstWaitMs;
    let isBroken = false;
    /** Another one once it has failed. */
    let attempt = {};

    function mend(): void {
      if (isBroken) options.onMended();
      isBroken = false;
    }

    /** Asked behind the subscription: if that still stands when this is answered, it has been taken. */
    function confirm(asking: object): void {
      askCursor().then(
        () => asking === attempt && mend(),
        () => undefined,
      );
    }

    while (!signal.aborted) {
      try {
        const steps = subscribe(client, options, reached);
        if (isBroken) confirm(attempt);
        for await (const step of steps) {
          mend();
          yield step;
          reached = step.cursor;
          waitMs = firstWaitMs;
        }
      } catch (error) {
        if (signal.aborted) return;
        const { reason, isFinal } = breakOf(error);
        if (isFinal) throw new Refusal(reason);
        if (!isBroken) options.onBroken(reason);
        isBroken = true;
        attempt = {};
        await sleep(waitMs, undefined, { signal }).catch(() => undefined);
        waitMs = Math.min(waitMs * 2, longestWaitMs);
      }
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

/** At once. Ends early, and in order, when more waits here than is dealt with. */
function subscribe(
  client: Client,
  { types, isTest }: EventStreamOptions,
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
  const variables = { types: types?.map(toEnumWord), test: isTest, after };
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

  async function* read(): AsyncGenerator<StreamStep, void, undefined> {
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

  return read();
}
