// What `doctor` finds, at real backends: everything works, something will soon not, something doesn't.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { beforeAll, afterAll, describe, expect, test } from 'vitest';
import { doctor, examine } from '../../../api/cli/doctor/doctor.ts';
import { checkVersions } from '../../../api/cli/doctor/api-versions.ts';
import { checkCertificate } from '../../../api/cli/doctor/outside-checks.ts';
import type { Finding } from '../../../api/cli/doctor/finding.ts';
import { ConfigError, readConfig } from '../../../schema/config/config.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ roles: { api: true, worker: false } });
});
afterAll(() => app.stop());

const vaultKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const configOf = (env: Record<string, string> = {}) =>
  readConfig(
    {
      DATABASE_URL: app.database.url,
      TEMPORAL_ADDRESS: app.namespace.address,
      TEMPORAL_NAMESPACE: app.namespace.namespace,
      FANFARE_VAULT_KEYS: vaultKeys,
      ...env,
    },
    'api',
  );

const statuses = (findings: Finding[]) =>
  Object.fromEntries(findings.map(({ name, status }) => [name, status]));

test('everything works', async () => {
  const { text, exitCode } = await doctor(() => configOf());
  expect(text).toMatch(/^ok +Configuration +Every variable is valid\.$/m);
  expect(text).toMatch(/^ok +Clock +The clocks .* differ by \d+ ms\.$/m);
  expect(exitCode).toBe(0);
});

test('a key in use that expires soon, an app that is not approved', async () => {
  const soon = new Date(Date.now() + 86_400_000);
  const { db } = app.context;
  await db.updateTable('api_keys').set({ expires_at: soon, last_used_at: new Date() }).execute();
  const found = await examine(configOf(), app.database.url);
  expect(statuses(found)).toMatchObject({ 'API keys': 'warning', Database: 'ok', Temporal: 'ok' });
  await db.updateTable('api_keys').set({ expires_at: null }).execute();
});

test('backends that do not answer, and a configuration that is not valid', async () => {
  const gone = configOf({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
  expect(statuses(await examine(gone, 'postgres://127.0.0.1:1/none'))).toMatchObject({
    Database: 'failed',
    Clock: 'failed',
    Temporal: 'failed',
  });
  expect(statuses(await examine(configOf(), undefined))).toMatchObject({ Database: 'failed' });
  const { data, exitCode } = await doctor(() => {
    throw new ConfigError(['FANFARE_PORT: must be a number']);
  });
  expect(exitCode).toBe(1);
  expect(data).toMatchObject([
    { name: 'Configuration', status: 'failed', message: expect.stringContaining('FANFARE_PORT') },
  ]);
});

describe("a version of a network's API", () => {
  const versionOf = (network: string, version: string) =>
    configOf({
      [`FANFARE_${network}_CLIENT_ID`]: 'id',
      [`FANFARE_${network}_CLIENT_SECRET`]: 'secret',
      [`FANFARE_${network}_VERSION`]: version,
    });

  test.each([
    ['LINKEDIN', '202609', '2026-12-01', 'ok', 'ends version 202609 of its API around 2027-09.'],
    ['LINKEDIN', '202609', '2027-08-01', 'warning', 'Set FANFARE_LINKEDIN_VERSION.'],
    ['FACEBOOK', 'v25.0', '2026-12-01', 'ok', 'ends version v25.0 of its API around 2028-07-29.'],
    ['FACEBOOK', 'v25.0', '2028-06-01', 'warning', 'Set FANFARE_FACEBOOK_VERSION.'],
    ['INSTAGRAM', 'v21.0', '2026-12-01', 'warning', 'around 2027-01-21. Set FANFARE_INSTAGRAM_'],
    [
      'INSTAGRAM',
      'v19.0',
      '2026-12-01',
      'warning',
      'Instagram has ended version v19.0 of its API.',
    ],
    ['FACEBOOK', 'v99.0', '2026-12-01', 'ok', 'has not announced the end of version v99.0.'],
  ])('%s %s on %s: %s', async (network, version, day, status, message) => {
    const found = await checkVersions(versionOf(network, version), new Date(day));
    expect(found).toEqual({ status, message: expect.stringContaining(message) });
  });

  test('is checked if a project has an app at the network', async () => {
    const { db } = app.context;
    expect(await checkVersions(configOf(), new Date(), db)).toBeUndefined();
    const credentials = { client_id: 'id', client_secret: 'secret' };
    const created = await app.api.call('PUT', '/v1/platform-credentials/facebook', credentials);
    expect(created.status, created.text).toBe(201);
    const found = await checkVersions(configOf(), new Date(), db);
    expect(found?.message).toMatch(/^Facebook /);
    expect(found?.message).not.toContain('\n');
  });
});

describe('the certificate of the public URL', () => {
  test('is needed only for https', async () => {
    expect(await checkCertificate(undefined, new Date())).toBeUndefined();
    expect(await checkCertificate('http://fanfare.test', new Date())).toBeUndefined();
  });

  test('is refused if nobody vouches for it, and where nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(checkCertificate(`https://127.0.0.1:${port}`, new Date())).rejects.toThrow();
    server.close();
    await once(server, 'close');
    await expect(checkCertificate(`https://127.0.0.1:${port}`, new Date())).rejects.toThrow(
      'ECONNREFUSED',
    );
  });
});
