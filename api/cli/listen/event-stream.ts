// The client of `listen`: a subscription that resumes from its cursor after every lost connection.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import { toEnumWord } from '../../../schema/wire/enum-word.ts';
import { eventRecorded, liveCursor } from '../../graphql/listen-documents.ts';
import type { ListenOptions } from './options.ts';
import { Refusal, toFailure } from './refusal.ts';

export interface StreamedEvent {
  id: string;
  /** The body that webhooks receive. */
  body: string;
  postId: string | null;
  socialAccountId: string | null;
}

export interface StreamStep {
  /** Resumes the stream after this step. */
  cursor: string;
  /** Null if only the cursor is newer. */
  event: StreamedEvent | null;
}

export interface EventStreamOptions extends Pick<
  ListenOptions,
  'url' | 'key' | 'types' | 'isTest'
> {
  /** Called once when the connection is lost. `onResumed` is called once when the stream works again. */
  onLost: (reason: string) => void;
  onResumed: () => void;
  /** Ends the stream. */
  signal: AbortSignal;
}

const answerWithinMs = 10_000;
const pingEveryMs = 15_000;
const firstWaitMs = 250;
const longestWaitMs = 5_000;
/** With this many events in memory, the client unsubscribes until they are processed. */
const maxWaiting = 500;

export function openEventStream(options: EventStreamOptions) {
  const { url, signal } = options;
  const client = connect(options);

  async function askCursor(): Promise<string> {
    for await (const { data, errors } of client.iterate<{ liveCursor: string }>({
      query: liveCursor,
    })) {
      if (!data) throw errors;
      return data.liveCursor;
    }
    throw new Error('the server closed the connection');
  }

  /** The cursor of the newest event. Throws a Refusal if Fanfare can't be reached. */
  async function readCursor(): Promise<string> {
    try {
      return await askCursor();
    } catch (error) {
      const { reason, isFinal } = toFailure(error);
      throw new Refusal(isFinal ? reason : `Fanfare can't be reached at ${url}: ${reason}`);
    }
  }

  /** Yields every event after the cursor, in order. Ends with the signal, or throws a Refusal. */
  async function* after(cursor: string): AsyncGenerator<StreamStep, void, undefined> {
    let reached = cursor;
    let waitMs = firstWaitMs;
    let isLost = false;
    /** Identifies the current attempt. Replaced when the attempt fails. */
    let attempt = {};

    function markResumed(): void {
      if (isLost) options.onResumed();
      isLost = false;
    }

    /**
     * Sends a query after the subscription. An answer shows that the server has accepted the subscription.
     */
    function confirm(asked: object): void {
      askCursor().then(
        () => asked === attempt && markResumed(),
        () => undefined,
      );
    }

    while (!signal.aborted) {
      try {
        const steps = subscribe(client, options, reached);
        if (isLost) confirm(attempt);
        for await (const step of steps) {
          markResumed();
          yield step;
          reached = step.cursor;
          waitMs = firstWaitMs;
        }
      } catch (error) {
        if (signal.aborted) return;
        const { reason, isFinal } = toFailure(error);
        if (isFinal) throw new Refusal(reason);
        if (!isLost) options.onLost(reason);
        isLost = true;
        attempt = {};
        await sleep(waitMs, undefined, { signal }).catch(() => undefined);
        waitMs = Math.min(waitMs * 2, longestWaitMs);
      }
    }
  }

  return { readCursor, after };
}

/** Creates a client without retries of its own, because they would start again from the first cursor. */
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
      // If the machine slept or a cable was pulled out, no close event arrives.
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

/** Subscribes at once. Ends early when too many events wait here. */
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
      complete: () => fail(new Error('the server ended the stream')),
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
