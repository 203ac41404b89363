// The streams that pages follow. Pages that follow the same one share it.
import type { Client, TypedDocumentNode } from '@urql/core';
import { graphql } from './schema.ts';

export interface Update {
  cursor: string;
  change: string;
}
/** The subject of a stream is written to the cache on its way. */
export type StreamDocument = TypedDocumentNode<
  Record<string, Update | null>,
  { after?: string | null; id?: string | null; webhookId?: string | null }
>;

/** What a page follows. */
export interface Followed {
  document: StreamDocument;
  variables?: Record<string, unknown>;
}

const LiveCursor = graphql('query LiveCursor { liveCursor }');
/** Keeps a stream while pages change. */
const lingerMs = 5_000;
const retryMs = 2_000;

interface Stream {
  listeners: Set<Listener>;
  stop(): void;
  isOpen: boolean;
  closing?: ReturnType<typeof setTimeout>;
}

export interface Listener {
  /** The stream has begun. Changes before that moment are in the state that is read from now on. */
  onOpen(): void;
  onUpdate(update: Update): void;
}

const streamsOf = new WeakMap<Client, Map<string, Stream>>();

/** Equal for the same document with the same variables. */
export function keyOf({ document, variables = {} }: Followed): string {
  const name = document.definitions.map((one) => ('name' in one ? one.name?.value : '')).join();
  return `${name} ${JSON.stringify(variables)}`;
}

/** Returns a function that ends it. */
export function follow(client: Client, followed: Followed, listener: Listener): () => void {
  const key = keyOf(followed);
  const streams = streamsOf.get(client) ?? new Map<string, Stream>();
  streamsOf.set(client, streams);
  let stream = streams.get(key);
  if (!stream) {
    stream = { listeners: new Set(), stop: () => {}, isOpen: false };
    streams.set(key, stream);
    begin(client, followed, stream);
  } else if (stream.isOpen) queueMicrotask(listener.onOpen);
  clearTimeout(stream.closing);
  stream.listeners.add(listener);
  const joined = stream;
  return () => {
    joined.listeners.delete(listener);
    if (joined.listeners.size > 0) return;
    joined.closing = setTimeout(() => {
      joined.stop();
      streams.delete(key);
    }, lingerMs);
  };
}

/** Begins at a cursor that is older than any state that is read afterwards, so nothing is missed. */
function begin(client: Client, { document, variables }: Followed, stream: Stream): void {
  let isStopped = false;
  let end = () => {};
  let timer: ReturnType<typeof setTimeout>;
  const again = () => {
    end();
    stream.isOpen = false;
    if (!isStopped) timer = setTimeout(() => void start(), retryMs);
  };
  async function start(): Promise<void> {
    const { data } = await client
      .query(LiveCursor, {}, { requestPolicy: 'network-only' })
      .toPromise();
    if (isStopped) return;
    if (!data?.liveCursor) return again();
    const source = client.subscription(document, { ...variables, after: data.liveCursor });
    const { unsubscribe } = source.subscribe((result) => {
      // The cursor has expired, for example: everything is read again from a new one.
      if (result.error && !result.data) return again();
      const [update] = Object.values(result.data ?? {});
      if (update) for (const listener of stream.listeners) listener.onUpdate(update);
    });
    end = unsubscribe;
    stream.isOpen = true;
    for (const listener of stream.listeners) listener.onOpen();
  }
  stream.stop = () => {
    isStopped = true;
    clearTimeout(timer);
    end();
  };
  void start();
}
