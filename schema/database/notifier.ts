// Wakes the readers of a channel after a commit: at most one empty NOTIFY per channel per 5 ms.
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultQueryTimeoutMs } from '../retry.ts';
import { TimedClient, timedOptions } from './timed-client.ts';

/** New rows for the relay (`outbox`, `deliveries`) and for the live feed (`changes`). */
export const channels = ['fanfare_outbox', 'fanfare_deliveries', 'fanfare_changes'] as const;

export type Channel = (typeof channels)[number];

export interface Notifier {
  /** Call it after the commit. A lost notification costs half a second, since readers also poll. */
  notify(channel: Channel): void;
  close(): Promise<void>;
}

const quietMs = 5;
/** A silent server must not hold up a shutdown. */
const flushWithinMs = 1_000;

/** Has a connection of its own, because a NOTIFY inside the writing transaction would serialize commits. */
export function createNotifier(url: string, queryTimeoutMs = defaultQueryTimeoutMs): Notifier {
  const waiting = new Set<Channel>();
  let sending: Promise<void> | undefined;
  let client: Promise<TimedClient> | undefined;
  let isClosed = false;

  function connect(): Promise<TimedClient> {
    const fresh = new TimedClient({
      ...timedOptions(queryTimeoutMs),
      connectionString: url,
      application_name: 'fanfare notifier',
    });
    const drop = () => {
      if (client === connecting) client = undefined;
    };
    fresh.on('error', drop);
    fresh.on('end', drop);
    const connecting: Promise<TimedClient> = fresh.connect().then(() => fresh);
    return connecting;
  }

  async function send(): Promise<void> {
    const notifications = [...waiting].map((channel) => `notify ${channel}`);
    waiting.clear();
    try {
      client ??= connect();
      const open = await client;
      await open.query(notifications.join(';'));
    } catch {
      const broken = client;
      client = undefined;
      void broken?.then((open) => open.end()).catch(() => undefined);
    }
  }

  /**
   * Sends the first notification at once. Sends those that arrive during a send, or just after it, together.
   */
  async function sendWaiting(): Promise<void> {
    // First lets the commit add all its channels.
    await Promise.resolve();
    while (waiting.size > 0) {
      await send();
      if (!isClosed) await sleep(quietMs);
    }
    sending = undefined;
  }

  return {
    notify(channel) {
      if (isClosed) return;
      waiting.add(channel);
      sending ??= sendWaiting();
    },
    async close() {
      isClosed = true;
      await Promise.race([sending, sleep(flushWithinMs, undefined, { ref: false })]);
      await (await client?.catch(() => undefined))?.end().catch(() => undefined);
    },
  };
}
