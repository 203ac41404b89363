// One life of a worker, every statement and every call of which is a numbered step, and which can end at each.
import { Kysely, PostgresDialect } from 'kysely';
import { Pool, type PoolClient } from 'pg';
import type { Database, Db } from '../../../schema/database/tables.ts';
import { PreparingClient } from '../../../schema/database/prepared.ts';
import type { Switchboard } from './faults.ts';

export type Manner =
  /** The process is gone: no step after this one is ever taken, and its connections break. */
  | 'dies'
  /** The step fails, and the process lives on. */
  | 'stumbles'
  /** Nothing is wrong with the worker: somebody else acts meanwhile. */
  | 'is overtaken';

/** `after`: the step has taken effect, and its answer is lost. */
export interface Interruption {
  step: number;
  moment: 'before' | 'after';
  manner: Manner;
}

export interface Life {
  readonly db: Db;
  /** What was done, in order. */
  readonly steps: readonly string[];
  /** Makes the network's calls steps of this life. */
  follow(switchboard: Switchboard): void;
  /** Resolves with the work's end, or when the process is gone. */
  live(work: () => Promise<void>): Promise<void>;
}

export interface LifeOptions {
  pool: Pool;
  interruption?: Interruption | undefined;
  onInterrupt?: () => Promise<void>;
}

const lostConnection = new Error('The connection was lost.');

export function createLifePool(url: string): Pool {
  const pool = new Pool({ Client: PreparingClient, connectionString: url, max: 16 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

export function createLife({ pool, interruption, onInterrupt }: LifeOptions): Life {
  const steps: string[] = [];
  const clients = new Set<PoolClient>();
  const death = Promise.withResolvers<void>();
  let isDead = false;

  const never = () => new Promise<never>(() => undefined);

  async function reach(step: number, moment: 'before' | 'after'): Promise<void> {
    if (isDead) await never();
    if (step !== interruption?.step || moment !== interruption.moment) return;
    await onInterrupt?.();
    if (interruption.manner === 'is overtaken') return;
    if (interruption.manner === 'stumbles') throw lostConnection;
    isDead = true;
    for (const client of clients) client.release(true);
    death.resolve();
    await never();
  }

  async function take<T>(label: string, act: () => Promise<T>): Promise<T> {
    const step = steps.push(label);
    await reach(step, 'before');
    const answer = await act();
    await reach(step, 'after');
    return answer;
  }

  function follow(client: PoolClient) {
    clients.add(client);
    let hasBroken = false;
    const query = async (text: string, values: unknown[]) => {
      try {
        return await take(nameOf(text), () => client.query(text, values));
      } catch (error) {
        // With its connection gone, a transaction is too.
        hasBroken ||= error === lostConnection;
        throw error;
      }
    };
    return {
      query: (text: string, values: unknown[]) =>
        hasBroken ? Promise.reject(lostConnection) : query(text, values),
      release(isDiscarded?: boolean) {
        clients.delete(client);
        if (!isDead) client.release(hasBroken || isDiscarded);
      },
    };
  }

  const dialect = new PostgresDialect({
    pool: {
      // Without cursors, which nothing here uses.
      connect: async () => {
        if (isDead) await never();
        return follow(await pool.connect()) as never;
      },
      end: async () => undefined,
      options: {},
    },
  });
  let call = 0;
  return {
    db: new Kysely<Database>({ dialect }),
    steps,
    follow(switchboard) {
      switchboard.onCall = async (moment, stage) => {
        if (moment === 'before') call = steps.push(`call of ${stage}`);
        await reach(call, moment);
      };
    },
    live: (work) => Promise.race([work(), death.promise]),
  };
}

const nameOf = (statement: string) => statement.trim().split('\n')[0]!.slice(0, 80);
