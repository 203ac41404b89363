// One project floods names whose DNS never answers: another project's deliveries and webhooks stay fast.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePorts } from '../../../api/server/ports.ts';
import { createProjectWithKey } from '../../../api/cli/first-start.ts';
import { createApi, type Api } from '../../support/app/api.ts';
import { startApp } from '../../support/app/app.ts';
import { createBundledDirectory } from '../../support/servers/bundled-directory.ts';
import { createTestDatabase } from '../../support/rows/database.ts';
import { startNameServer, type NameServer } from '../../support/servers/name-server.ts';
import { removeDataDirectory, startProgram } from '../../support/app/program.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';
import { createTestNamespace } from '../../support/servers/temporal.ts';

const parallel = 20;
const rounds = 30;
const maxDelayMs = 1_000;
/** On a machine that does much else. */
const timeoutMs = 120_000;

let receiver: Receiver;
let serial = 0;

beforeAll(async () => {
  receiver = await startReceiver();
});

afterAll(() => receiver.close());

const envOf = (names: NameServer) => ({
  FANFARE_DNS_SERVERS: names.address,
  FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
  FANFARE_MAX_WEBHOOKS: '10000',
  FANFARE_RATE_LIMIT_PER_MINUTE: '0',
  FANFARE_LOG_LEVEL: 'error',
  FANFARE_SANDBOX: 'false',
});

/** A webhook of a host not seen before, so that creation and delivery each need a lookup. */
async function createAndDeliver(api: Api): Promise<{ createdMs: number; deliveredMs: number }> {
  const path = `/hook-${serial++}`;
  const startedAt = performance.now();
  const url = `http://receiver${path.replace('/', '-')}.known.test:${receiver.port}${path}`;
  const created = await api.post('/v1/webhooks', { url });
  expect([created.status, created.text]).toEqual([201, created.text]);
  const createdAt = performance.now();
  expect((await api.post(`/v1/webhooks/${created.body.data.id}/test`)).status).toBe(202);
  await receiver.waitFor((request) => request.path === path);
  return { createdMs: createdAt - startedAt, deliveredMs: performance.now() - createdAt };
}

async function measure(api: Api) {
  const created: number[] = [];
  const delivered: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const { createdMs, deliveredMs } = await createAndDeliver(api);
    created.push(createdMs);
    delivered.push(deliveredMs);
  }
  return { created: p95(created), delivered: p95(delivered) };
}

function p95(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]!;
}

/** Creations that ask for a silent name, and test deliveries to others, each of its own domain. */
function startFlood(api: Api): () => Promise<void> {
  const stopping = new AbortController();
  const silent = (scheme: string) => `${scheme}://a.silent-${serial++}.test/hook`;
  async function flood(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { body } = await api.post('/v1/webhooks', { url: silent('https') });
      await Promise.all([
        api.post(`/v1/webhooks/${body.data.id}/test`),
        api.post('/v1/webhooks', { url: silent('http') }),
      ]);
    }
  }
  // The servers stop in the middle of its requests.
  const floods = Promise.allSettled(Array.from({ length: parallel }, flood));
  return async () => {
    stopping.abort();
    await floods;
  };
}

async function expectPrompt(names: NameServer, attacker: Api, other: Api): Promise<void> {
  await createAndDeliver(other);
  const before = await measure(other);
  const stopFlood = startFlood(attacker);
  const countSilent = () => new Set(names.asked.filter((name) => name.includes('silent'))).size;
  await expect.poll(countSilent).toBeGreaterThanOrEqual(parallel);
  const flooded = await measure(other);
  const silentCount = countSilent();
  await stopFlood();
  const after = await measure(other);
  const toText = ({ created, delivered }: typeof before) =>
    `${Math.round(created)} ms to create, ${Math.round(delivered)} ms to deliver`;
  console.log(`p95 before: ${toText(before)}; after: ${toText(after)}`);
  console.log(`p95 beside ${silentCount} silent names: ${toText(flooded)}`);
  // What else the machine does may begin and end at any time.
  const quiet = {
    created: Math.max(before.created, after.created),
    delivered: Math.max(before.delivered, after.delivered),
  };
  expect(flooded.created).toBeLessThan(quiet.created + maxDelayMs);
  expect(flooded.delivered).toBeLessThan(quiet.delivered + maxDelayMs);
}

describe('a flood of names whose DNS never answers', () => {
  test(
    'delays no other project in one process',
    async () => {
      await using names = await startNameServer();
      await using app = await startApp({ env: envOf(names) });
      await expectPrompt(names, (await app.createTenant('flood')).api, app.api);
    },
    timeoutMs,
  );

  test(
    'delays no other project with an api and a worker of their own',
    async () => {
      await using names = await startNameServer();
      await using database = await createTestDatabase();
      await using namespace = await createTestNamespace();
      const dataDirectory = createBundledDirectory();
      const [port] = await findFreePorts([0]);
      const own = {
        ...envOf(names),
        FANFARE_PORT: String(port),
        DATABASE_URL: database.url,
        TEMPORAL_ADDRESS: namespace.address,
        TEMPORAL_NAMESPACE: namespace.namespace,
        FANFARE_VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
      };
      const programs = ['api', 'worker'].map((role) =>
        startProgram({ command: [role], dataDirectory, env: own }),
      );
      try {
        const tenants = await Promise.all(
          ['flood', 'other'].map((name) => createProjectWithKey(database.db, name)),
        );
        const [attacker, other] = tenants.map(({ key }) =>
          createApi(`http://127.0.0.1:${port}`, key),
        );
        const isUp = () =>
          other!.get('/v1/project').then(
            ({ status }) => status,
            () => undefined,
          );
        await expect.poll(isUp, { timeout: 60_000 }).toBe(200);
        await expectPrompt(names, attacker!, other!);
      } finally {
        await Promise.all(programs.map((program) => program.stop()));
        await removeDataDirectory(dataDirectory);
      }
    },
    timeoutMs,
  );
});
