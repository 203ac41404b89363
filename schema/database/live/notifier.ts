// Wakes the readers of a channel after a commit: at most one empty NOTIFY per channel per 5 ms.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../tables.ts';
import { defaultQueryTimeoutMs } from '../../retry.ts';
import { TimedClient, timedOptions } from '../timed-client.ts';

/** `outbox`: workflows are asked for. `deliveries`: some wait to be claimed. `changes`: the feed has rows. */
export const channels = ['fanfare_outbox', 'fanfare_deliveries', 'fanfare_changes'] as const;

export type Channel = (typeof channels)[number];

export interface Notifier {
  /** Call after the commit. A lost notification costs half a second, since every reader polls too. */
  notify(channel: Channel): void;
  close(): Promise<void>;
}

/** One notification from where no notifier is kept, such as a command; not for use in a transaction. */
export async function notify(db: Db, channel: Channel): Promise<void> {
  await sql`notify ${sql.id(channel)}`.execute(db);
}

const quietMs = 5;

/** Rings over a connection of its own: a NOTIFY inside the writing transaction serialises commits. */
export function createNotifier(url: string, queryTimeoutMs = defaultQueryTimeoutMs): Notifier {
  const waiting = new Set<Channel>();
  let isNotifying = false;
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

  async function notify(): Promise<void> {
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

  /** The first notification goes out at once. Those that come meanwhile, or right after, go together. */
  async function notifyWaiting(): Promise<void> {
    isNotifying = true;
    while (waiting.size > 0 && !isClosed) {
      await notify();
      await sleep(quietMs);
    }
    isNotifying = false;
  }

  return {
    notify(channel) {
      if (isClosed) return;
      waiting.add(channel);
      if (!isNotifying) void notifyWaiting();
    },
    async close() {
      isClosed = true;
      await (await client?.catch(() => undefined))?.end().catch(() => undefined);
    },
  };
}
