// One LISTEN connection per process: calls its listeners on a notification, and also once a second.
import { channels, type Channel } from '../notifier.ts';
import { defaultQueryTimeoutMs } from '../../retry.ts';
import { TimedClient, timedOptions } from '../timed-client.ts';

export interface Listener {
  /** Returns a function that stops listening. The listener may be called when there is nothing new. */
  on(channel: Channel, listener: () => void): () => void;
  /**
   * Called when the connection is lost, before it reconnects. Returns a function that removes the listener.
   */
  onLost(listener: () => void): () => void;
  close(): Promise<void>;
}

const pollMs = 1_000;
const reconnectMs = 500;

export function createListener(url: string, queryTimeoutMs = defaultQueryTimeoutMs): Listener {
  const listeners = new Map<Channel, Set<() => void>>();
  const onLosses = new Set<() => void>();
  let client: TimedClient | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  const wake = (channel: Channel) => listeners.get(channel)?.forEach((listener) => listener());
  const poll = setInterval(() => {
    for (const channel of listeners.keys()) wake(channel);
  }, pollMs);
  // Without checks, a lost connection would look like a connection without notifications. The interval and
  // the timeout of a check are half of `queryTimeoutMs` each, so a silent connection is noticed within that
  // time.
  const checkMs = queryTimeoutMs / 2;
  const check = setInterval(() => void client?.query('').catch(() => undefined), checkMs);

  function reconnect(lost: TimedClient): void {
    // A late event of a connection that has already been replaced.
    if (client && client !== lost) return;
    client = undefined;
    if (isClosed) return;
    for (const listener of onLosses) listener();
    if (retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      void connect();
    }, reconnectMs);
  }

  async function connect(): Promise<void> {
    const fresh = new TimedClient({
      ...timedOptions(checkMs),
      connectionString: url,
      application_name: 'fanfare listener',
    });
    fresh.on('error', () => reconnect(fresh));
    fresh.on('end', () => reconnect(fresh));
    fresh.on('notification', ({ channel }) => wake(channel as Channel));
    try {
      await fresh.connect();
      await fresh.query(channels.map((channel) => `listen ${channel}`).join(';'));
      if (isClosed) await fresh.end();
      client = fresh;
    } catch {
      void fresh.end().catch(() => undefined);
      reconnect(fresh);
    }
  }
  void connect();

  return {
    on(channel, listener) {
      const set = listeners.get(channel) ?? new Set();
      listeners.set(channel, set.add(listener));
      return () => set.delete(listener);
    },
    onLost(listener) {
      onLosses.add(listener);
      return () => onLosses.delete(listener);
    },
    async close() {
      isClosed = true;
      clearInterval(poll);
      clearInterval(check);
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
