// Wakes the readers of a channel after a commit: at once, and then at most every 25 ms per channel.
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultQueryTimeoutMs } from '../retry.ts';
import { TimedClient, timedOptions } from './timed-client.ts';

/** New rows for the relay (`outbox`, `deliveries`) and for the live feed (`changes`). */
export const channels = ['fanfare_outbox', 'fanfare_deliveries', 'fanfare_changes'] as const;

export type Channel = (typeof channels)[number];

export interface Notifier {
  /** Call it after the commit. A lost notification costs a second, since readers also poll. */
  notify(channel: Channel): void;
  close(): Promise<void>;
}

const quietMs = 25;
/** A silent server must not hold up a shutdown. */
const flushWithinMs = 1_000;

/** Has a connection of its own, because a NOTIFY inside the writing transaction would serialize commits. */
export function createNotifier(url: string, queryTimeoutMs = defaultQueryTimeoutMs): Notifier {
  const due = new Set<Channel>();
  /** Channels that were notified a moment ago, and whether each is notified again afterwards. */
  const quiet = new Map<Channel, boolean>();
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
    const wanted = [...due];
    due.forEach(keepQuiet);
    due.clear();
    try {
      client ??= connect();
      const open = await client;
      await open.query("select pg_notify(channel, '') from unnest($1::text[]) as channel", [
        wanted,
      ]);
    } catch {
      const broken = client;
      client = undefined;
      void broken?.then((open) => open.end()).catch(() => undefined);
    }
  }

  async function sendDue(): Promise<void> {
    // First lets the commit add all its channels.
    await Promise.resolve();
    while (due.size > 0) await send();
    sending = undefined;
  }

  function sendSoon(channel: Channel): void {
    due.add(channel);
    sending ??= sendDue();
  }

  function keepQuiet(channel: Channel): void {
    quiet.set(channel, false);
    setTimeout(() => endQuiet(channel), quietMs).unref();
  }

  function endQuiet(channel: Channel): void {
    const isWanted = quiet.get(channel);
    quiet.delete(channel);
    if (isWanted) sendSoon(channel);
  }

  return {
    notify(channel) {
      if (isClosed) return;
      if (quiet.has(channel)) quiet.set(channel, true);
      else sendSoon(channel);
    },
    async close() {
      isClosed = true;
      for (const channel of quiet.keys()) endQuiet(channel);
      await Promise.race([sending, sleep(flushWithinMs, undefined, { ref: false })]);
      await (await client?.catch(() => undefined))?.end().catch(() => undefined);
    },
  };
}
