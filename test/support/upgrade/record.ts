// `npm run record:upgrade -- COMMIT`: records the fixtures of the upgrade tests with the program of the commit, by default
// HEAD: a dump of a database with data of each kind, and the history of each workflow.
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { findFreePorts } from '../../../api/server/ports.ts';
import { connectDatabase } from '../../../schema/database/connect.ts';
import * as workflows from '../../../schema/workflows.ts';
import { runAsAdmin, withDatabase } from '../app/admin.ts';
import { createApi } from '../app/api.ts';
import { createDataDirectory, removeDataDirectory, type Program } from '../app/program.ts';
import { waitFor } from '../checks/killed-program.ts';
import { startReceiver } from '../receivers/receiver.ts';
import { startServers } from '../servers/servers.ts';
import { checkOut } from './checkout.ts';
import { makeEnded, makeOpen, picture } from './contents.ts';
import { writeDump } from './dump.ts';
import { fixtures, type RecordedRelease } from './release.ts';

const [named = 'HEAD'] = process.argv.slice(2);
const commit = execFileSync('git', ['rev-parse', '--verify', `${named}^{commit}`])
  .toString()
  .trim();
/** The workflows whose history is recorded. */
const recorded = [
  workflows.publishPostWorkflow,
  workflows.publishPostsWorkflow,
  workflows.deliverEventsWorkflow,
  workflows.retryDeliveryWorkflow,
  workflows.replayDeliveriesWorkflow,
  workflows.pruneRecordsWorkflow,
  workflows.refreshLoginsWorkflow,
  workflows.fetchMediaWorkflow,
  workflows.checkAccountWorkflow,
  workflows.changeResultWorkflow,
];
const vaultKeys = `upgrade:${Buffer.alloc(32, 7).toString('base64')}`;

await using started = new AsyncDisposableStack();
const checkout = started.use(await checkOut(commit));
const servers = await startServers();
started.defer(() => servers.stop());
const dataDirectory = createDataDirectory();
started.defer(() => removeDataDirectory(dataDirectory));
const receiver = started.use(await startReceiver());
const image = await picture();
const seen = new Set<string>();
receiver.respondWith(({ path, headers }) => {
  if (path === '/picture.png') return { headers: { 'Content-Type': 'image/png' }, body: image };
  const delivery = String(headers['x-service-delivery']);
  const isFirst = !seen.has(delivery);
  seen.add(delivery);
  return { status: isFirst ? 500 : 200 };
});

await runAsAdmin(servers.adminDatabaseUrl, 'create database recorded');
const databaseUrl = withDatabase(servers.adminDatabaseUrl, 'recorded');
const [port, workerPort] = await findFreePorts([0, 0]);
const url = `http://127.0.0.1:${port}`;
const env = {
  DATABASE_URL: databaseUrl,
  TEMPORAL_ADDRESS: servers.temporalAddress,
  FANFARE_VAULT_KEYS: vaultKeys,
  FANFARE_PORT: String(port),
  FANFARE_WORKER_PORT: String(workerPort),
  FANFARE_PUBLIC_URL: url,
  FANFARE_SANDBOX: 'true',
  FANFARE_SANDBOX_API_URL: `${url}/sandbox`,
  FANFARE_MEDIA_URL: pathToFileURL(join(dataDirectory, 'media')).href,
  FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
  FANFARE_UNAVAILABLE_DELAYS_MS: '300',
  FANFARE_RECONCILE_DELAYS_MS: '0,300',
  FANFARE_DELIVERY_DELAYS_MS: '300,600',
};
const start = (...command: string[]) => {
  const program = checkout.start({ command, dataDirectory, env });
  started.defer(() => program.stop());
  return program;
};
const run = async (...command: string[]): Promise<string> => {
  const program = start(...command);
  const { code } = await program.exit;
  if (code !== 0) throw new Error(program.output());
  return program.output();
};
const up = (program: Program) => program.waitForOutput(/"msg":"up"/);

await run('migrate');
const key = /^key +(\S+)$/m.exec(await run('projects', 'create', '--name', 'Upgrade'))![1]!;
await run('pause', 'mastodon');
const api = start('api');
const worker = start('worker');
await Promise.all([up(api), up(worker)]);
const client = createApi(url, key);
const accounts = await makeEnded(client, receiver.url);
const histories = await readHistories();
await worker.interrupt();
await makeOpen(client, accounts);
await api.interrupt();

const connection = connectDatabase({
  url: databaseUrl,
  maxConnections: 1,
  applicationName: 'dump',
});
const dump = await writeDump(connection.db, checkout.folder);
await connection.close();
const { version } = JSON.parse(
  execFileSync('git', ['show', `${commit}:package.json`]).toString(),
) as { version: string };
const release: RecordedRelease = {
  version,
  commit,
  recorded_at: new Date().toISOString(),
  api_key: key,
  vault_keys: vaultKeys,
  receiver_url: receiver.url,
};
await rm(fixtures, { recursive: true, force: true });
await mkdir(join(fixtures, 'histories'), { recursive: true });
await writeFile(join(fixtures, 'database.sql'), dump);
await writeFile(join(fixtures, 'release.json'), `${JSON.stringify(release, null, 2)}\n`);
for (const [type, history] of histories) {
  await writeFile(join(fixtures, 'histories', `${type}.json`), `${JSON.stringify(history)}\n`);
}
console.log(`Recorded version ${version} at ${commit}.`);

/** The longest history of each workflow that has ended. */
async function readHistories() {
  const temporal = await Connection.connect({ address: servers.temporalAddress });
  started.defer(() => temporal.close());
  const { schedule, workflow } = new Client({ connection: temporal });
  for (const id of [workflows.pruneScheduleId('fanfare'), workflows.refreshScheduleId('fanfare')]) {
    await schedule.getHandle(id).trigger();
  }
  const longest = await waitFor(async () => {
    const found = new Map<string, { workflowId: string; runId: string; length: number }>();
    for await (const { type, workflowId, runId, historyLength, status } of workflow.list()) {
      if (status.name !== 'COMPLETED') continue;
      const { length = 0 } = found.get(type) ?? {};
      if (historyLength > length) found.set(type, { workflowId, runId, length: historyLength });
    }
    return recorded.every((type) => found.has(type)) ? found : undefined;
  });
  return Promise.all(
    [...longest].map(async ([type, { workflowId, runId }]) => {
      const history = await workflow.getHandle(workflowId, runId).fetchHistory();
      return [type, { workflowId, history }] as const;
    }),
  );
}
