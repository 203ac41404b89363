// What `doctor` finds, at real backends: everything works, something will soon not, something doesn't.
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeAll, afterAll, describe, expect, test, vi } from 'vitest';
import { doctor, examine } from '../../../api/cli/doctor/doctor.ts';
import { checkVersions } from '../../../api/cli/doctor/api-versions.ts';
import { checkApps, checkClock } from '../../../api/cli/doctor/database-checks.ts';
import { checkCertificate } from '../../../api/cli/doctor/outside-checks.ts';
import type { Finding } from '../../../api/cli/doctor/finding.ts';
import { ConfigError, readConfig } from '../../../schema/config/config.ts';
import { storeOperatorApps } from '../../../schema/database/accounts/apps.ts';
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

test('a key in use that expires soon', async () => {
  const soon = new Date(Date.now() + 86_400_000);
  const { db } = app.context;
  await db.updateTable('api_keys').set({ expires_at: soon, last_used_at: new Date() }).execute();
  const found = await examine(configOf(), app.database.url);
  expect(statuses(found)).toMatchObject({ 'API keys': 'warning', Database: 'ok', Temporal: 'ok' });
  await db.updateTable('api_keys').set({ expires_at: null }).execute();
});

test('clocks that differ', async () => {
  const { db } = app.context;
  const checkLater = async (ms: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
    try {
      return await checkClock(db);
    } finally {
      vi.useRealTimers();
    }
  };
  expect(await checkLater(30_000)).toMatchObject({
    status: 'warning',
    message: expect.stringContaining('Set them by NTP.'),
  });
  await expect(checkLater(90_000)).rejects.toThrow('Set them by NTP.');
});

test('a vault without the key of a stored secret, and a store that can not be used', async () => {
  await app.tenant.createWebhook('https://example.com/hook');
  const other = configOf({
    FANFARE_VAULT_KEYS: vaultKeys.replace('test:', 'other:'),
    FANFARE_MEDIA_URL: 's3://media?region=x&endpoint=http://127.0.0.1:1&path_style=true',
  });
  const found = await examine(other, app.database.url);
  expect(statuses(found)).toMatchObject({ Vault: 'failed', Media: 'failed', Database: 'ok' });
  expect(found).toContainEqual({
    name: 'Vault',
    status: 'failed',
    message: expect.stringContaining('The vault has no key "test"'),
  });
});

test('an app that its network has not approved', async () => {
  const { db, vault } = app.context;
  const config = configOf({ FANFARE_TIKTOK_CLIENT_ID: 'id', FANFARE_TIKTOK_CLIENT_SECRET: 's' });
  await storeOperatorApps(db, vault, config.platforms);
  expect(await checkApps(db, config)).toEqual({ status: 'ok', message: '1 app known.' });
  await db.updateTable('platform_apps').set({ approval: 'unaudited' }).execute();
  expect(await checkApps(db, config)).toEqual({
    status: 'warning',
    message: 'Not approved by its network: tiktok. See docs/app-review.md.',
  });
  await db.deleteFrom('platform_apps').execute();
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
    ['LINKEDIN', '202609', '2026-12-01', 'ok', 'retires version 202609 of its API around 2027-09.'],
    ['LINKEDIN', '202609', '2027-08-01', 'warning', 'Set FANFARE_LINKEDIN_VERSION.'],
    [
      'FACEBOOK',
      'v25.0',
      '2026-12-01',
      'ok',
      'retires version v25.0 of its API around 2028-07-29.',
    ],
    ['FACEBOOK', 'v25.0', '2028-06-01', 'warning', 'Set FANFARE_FACEBOOK_VERSION.'],
    ['INSTAGRAM', 'v21.0', '2026-12-01', 'warning', 'around 2027-01-21. Set FANFARE_INSTAGRAM_'],
    [
      'INSTAGRAM',
      'v19.0',
      '2026-12-01',
      'warning',
      'Instagram has retired version v19.0 of its API.',
    ],
    ['FACEBOOK', 'v99.0', '2026-12-01', 'ok', 'has not announced when it retires version v99.0.'],
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

  test('is refused if nobody vouches for it, if it has expired, and where nothing listens', async () => {
    const read = (name: string) =>
      readFileSync(new URL(`../../fixtures/self-signed.${name}.pem`, import.meta.url), 'utf8');
    const cert = read('cert');
    const server = createServer({ cert, key: read('key') }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `https://localhost:${port}`;
    await expect(checkCertificate(url, new Date())).rejects.toThrow('self-signed certificate');
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, cert]);
    try {
      const expiry = new Date(new X509Certificate(cert).validTo);
      const before = (days: number) => new Date(expiry.getTime() - days * 86_400_000);
      const day = expiry.toISOString().slice(0, 10);
      const message = `The certificate of localhost:${port} expires on ${day}.`;
      expect(await checkCertificate(url, before(15))).toEqual({ status: 'ok', message });
      expect(await checkCertificate(url, before(13))).toEqual({ status: 'warning', message });
      await expect(checkCertificate(url, before(-1))).rejects.toThrow(message);
    } finally {
      setDefaultCACertificates(trusted);
    }
    server.close();
    await once(server, 'close');
    await expect(checkCertificate(url, new Date())).rejects.toThrow('ECONNREFUSED');
  });
});
