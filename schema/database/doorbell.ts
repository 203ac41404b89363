// Wakes the readers of a channel after a commit: at most one empty NOTIFY per channel per 5 ms.
import { Client } from 'pg';

/** `outbox`: the relay has work. `changes`: the feed has rows. */
export type Channel = 'fanfare_outbox' | 'fanfare_changes';

export interface Doorbell {
  /** Call after the commit. A lost ring costs half a second, since every reader polls too. */
  ring(channel: Channel): void;
  close(): Promise<void>;
}

const quietMs = 5;

/** Rings over a connection of its own: a NOTIFY inside the writing transaction serialises commits. */
export function createDoorbell(url: string): Doorbell {
  const waiting = new Set<Channel>();
  let timer: NodeJS.Timeout | undefined;
  let client: Promise<Client> | undefined;
  let isClosed = false;

  async function connect(): Promise<Client> {
    const fresh = new Client({
      connectionString: url,
      application_name: 'fanfare doorbell',
      connectionTimeoutMillis: 5_000,
    });
    fresh.on('error', () => (client = undefined));
    fresh.on('end', () => (client = undefined));
    await fresh.connect();
    return fresh;
  }

  async function notify(): Promise<void> {
    timer = undefined;
    const channels = [...waiting];
    waiting.clear();
    try {
      client ??= connect();
      const open = await client;
      await open.query(channels.map((channel) => `notify ${channel}`).join(';'));
    } catch {
      client = undefined;
    }
  }

  return {
    ring(channel) {
      if (isClosed) return;
      waiting.add(channel);
      timer ??= setTimeout(() => void notify(), quietMs);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await (await client?.catch(() => undefined))?.end().catch(() => undefined);
    },
  };
}
