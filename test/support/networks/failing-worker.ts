// A worker that numbers its steps, and can fail at any of them. Each step is a statement or a call to the
// network.
import { Kysely, PostgresDialect } from 'kysely';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { Database, Db } from '../../../schema/database/tables.ts';
import { createTestPool } from '../rows/pool.ts';
import type { Switchboard } from './faults.ts';

export type Failure =
  /** The process dies: it takes no further step, and its connections break. */
  | 'dies'
  /** The step fails, but the process lives on. */
  | 'loses a connection'
  /** The worker is healthy, but somebody cancels the post at that moment. */
  | 'races a cancellation';

/** `after`: the step has taken effect, but its answer is lost. */
export interface Interruption {
  /** Number of the step. */
  step: number;
  /** Counts only steps with this name. Default: all steps. */
  name?: string;
  moment: 'before' | 'after';
  failure: Failure;
}

export interface FailingWorker {
  readonly db: Db;
  /** Names of the steps taken, in order. */
  readonly steps: readonly string[];
  /** Counts the network's calls as steps too. */
  follow(switchboard: Switchboard): void;
  /** The process dies now, at a step that the caller chose. Never resolves. */
  die(): Promise<never>;
  /** Runs the work. Resolves when the work ends or the process dies. */
  run(work: () => Promise<void>): Promise<void>;
}

export interface FailingWorkerOptions {
  pool: Pool;
  interruption?: Interruption | undefined;
  onInterrupt?: () => Promise<void>;
}

const lostConnection = new Error('The connection was lost.');

export const createWorkerPool = (url: string): Pool => createTestPool(url, 16);

export function createFailingWorker(options: FailingWorkerOptions): FailingWorker {
  const { pool, interruption, onInterrupt } = options;
  const steps: string[] = [];
  const clients = new Set<PoolClient>();
  const death = Promise.withResolvers<void>();
  let isDead = false;

  const never = () => new Promise<never>(() => undefined);

  function die(): Promise<never> {
    isDead = true;
    for (const client of clients) client.release(true);
    death.resolve();
    return never();
  }

  function isInterrupted(step: number, moment: 'before' | 'after'): boolean {
    if (moment !== interruption?.moment) return false;
    const { name } = interruption;
    const same = steps.slice(0, step).filter((label) => name === undefined || label === name);
    return same.length === interruption.step && (name === undefined || steps[step - 1] === name);
  }

  async function reach(step: number, moment: 'before' | 'after'): Promise<void> {
    if (isDead) await never();
    if (!isInterrupted(step, moment)) return;
    await onInterrupt?.();
    if (interruption?.failure === 'races a cancellation') return;
    if (interruption?.failure === 'loses a connection') throw lostConnection;
    await die();
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
    const query = async (statement: string | QueryConfig, values: unknown[]) => {
      try {
        return await take(nameOf(statement), () => client.query(statement, values));
      } catch (error) {
        // A lost connection ends its transaction.
        hasBroken ||= error === lostConnection;
        throw error;
      }
    };
    return {
      query: (statement: string | QueryConfig, values: unknown[]) =>
        hasBroken ? Promise.reject(lostConnection) : query(statement, values),
      release(isDiscarded?: boolean) {
        clients.delete(client);
        if (!isDead) client.release(hasBroken || isDiscarded);
      },
    };
  }

  const dialect = new PostgresDialect({
    pool: {
      // The connection has no cursors, because the code under test uses none.
      connect: async () => {
        if (isDead) await never();
        const client = await pool.connect();
        if (!isDead) return follow(client) as never;
        client.release();
        return never();
      },
      end: async () => undefined,
      options: {},
    },
  });
  /** The steps of the network's calls, which may overlap. */
  const calls = new Map<string, number>();
  return {
    db: new Kysely<Database>({ dialect }),
    steps,
    follow(switchboard) {
      switchboard.onCall = async (moment, stage, call) => {
        const key = `${stage} ${call}`;
        if (moment === 'before') calls.set(key, steps.push(`call of ${stage}`));
        await reach(calls.get(key)!, moment);
      };
    },
    die,
    run: (work) => Promise.race([work(), death.promise]),
  };
}

const nameOf = (statement: string | QueryConfig) =>
  typeof statement === 'string'
    ? statement.trim().split('\n')[0]!.slice(0, 80)
    : (statement.name ?? statement.text);
