// Starts the bare chain in a process of its own, with a database of its own on the installation's Postgres.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { generateWebhookSecret } from '../../activities/delivering/signature.ts';
import { connectDatabase } from '../../schema/database/connect.ts';
import { migrate } from '../../schema/database/migrate.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { BareChainOptions, ChainOrder, ChainReport } from './processes/bare-chain-process.ts';
import type { Installation } from './installation.ts';

/** The number of accounts that the posts of the bench go to. */
const accounts = 30;

export interface BareChain extends AsyncDisposable {
  readonly pid: number;
  readonly databaseUrl: string;
  run(order: ChainOrder): Promise<ChainRun>;
}

export interface ChainRun extends Pick<ChainReport, 'latencies'> {
  /** Posts or events per second. */
  rate: number;
}

/** `url`: URL of the webhook. Null: events have no delivery. */
export async function startBareChain(
  installation: Installation,
  url: string | null,
  database = 'bare_chain',
): Promise<BareChain> {
  const rows = await createRows(installation, database);
  const options = { ...rows, url, secret: generateWebhookSecret() };
  const entry = fileURLToPath(new URL('processes/bare-chain-process.ts', import.meta.url));
  const child = fork(entry, [JSON.stringify(options satisfies BareChainOptions)], {
    stdio: 'inherit',
  });
  const exit = once(child, 'exit');
  async function answer<T>(): Promise<T> {
    const ended = exit.then(() => Promise.reject(new Error('The bare chain has ended.')));
    return (await Promise.race([once(child, 'message'), ended]))[0] as T;
  }
  await answer();
  return {
    pid: child.pid!,
    databaseUrl: options.databaseUrl,
    async run(order) {
      const report = answer<ChainReport>();
      child.send(order);
      const { seconds, latencies } = await report;
      return { rate: order.count / seconds, latencies };
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exit;
    },
  };
}

/**
 * The rows are in another database, because the program must not find them, and because the program's tables may
 * be those of another checkout.
 */
async function createRows(
  { db, databaseUrl }: Installation,
  database: string,
): Promise<Omit<BareChainOptions, 'url' | 'secret'>> {
  await sql`create database ${sql.id(database)}`.execute(db);
  const url = new URL(databaseUrl);
  url.pathname = database;
  const own = connectDatabase({ url: url.href, maxConnections: 1, applicationName: 'bench' });
  try {
    await migrate(own.db);
    const projectId = newId('project');
    const grantId = randomBytes(16).toString('hex');
    const accountIds = Array.from({ length: accounts }, () => newId('account'));
    await own.db.insertInto('projects').values({ id: projectId, name: 'Bare' }).execute();
    await own.db
      .insertInto('social_accounts')
      .values(
        accountIds.map((id, i) => ({
          id,
          project_id: projectId,
          platform: 'sandbox' as const,
          account_name: `bench${i}`,
          external_account_id: `bench${i}`,
          connection_type: 'byo' as const,
          status: 'active' as const,
        })),
      )
      .execute();
    await own.db.insertInto('sandbox_grants').values({ id: grantId, handle: 'bench' }).execute();
    return { databaseUrl: url.href, projectId, accountIds, grantId };
  } finally {
    await own.close();
  }
}
