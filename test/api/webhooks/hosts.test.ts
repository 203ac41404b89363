// A webhook's answer reveals nothing about names inside the operator's network.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDns } from '../../../activities/egress/dns.ts';
import { createUrlGuard } from '../../../activities/egress/url-guard.ts';
import { startNameServer, type NameServer } from '../../support/servers/name-server.ts';
import { createTestRest, type TestRest } from '../../support/app/rest.ts';

const hosts = {
  'in the hosts file': 'inner.test',
  'at an internal name server': 'internal.known.test',
  'of no host': 'nobody.test',
  'that is never answered': 'silent.test',
};
const directory = mkdtempSync(join(tmpdir(), 'fanfare-hosts-'));
let names: NameServer;
let rest: TestRest;
let key: string;

beforeAll(async () => {
  const hostsPath = join(directory, 'hosts');
  writeFileSync(hostsPath, '10.0.0.5 inner.test\n');
  names = await startNameServer();
  const guard = createUrlGuard({
    allowPrivateCidrs: [],
    lookup: createDns({ servers: [names.address], hostsPath }).addresses,
  });
  rest = await createTestRest({}, { guard });
  ({ key } = await rest.createTenant());
});

afterAll(async () => {
  await rest[Symbol.asyncDispose]();
  await names.close();
  rmSync(directory, { recursive: true });
});

/** Without what names the webhook itself. */
async function answerTo(method: 'POST' | 'PATCH', path: string, url: string) {
  const startedAt = performance.now();
  const { status, body } = await rest.call(method, path, { key, body: { url } });
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  const ofWebhook = { id: '', url: '', created_at: '', secret: '', secret_preview: '' };
  return {
    status,
    data: { ...body.data, ...ofWebhook },
    error: { ...body.error, request_id: '' },
  };
}

test.each(['https', 'http'])('every host of an %s URL gets the same answer', async (scheme) => {
  const created = await rest.call('POST', '/v1/webhooks', {
    key,
    body: { url: 'https://example.com/' },
  });
  const path = `/v1/webhooks/${created.body.data.id}`;
  for (const [method, at] of [
    ['POST', '/v1/webhooks'],
    ['PATCH', path],
  ] as const) {
    const missing = await answerTo(method, at, `${scheme}://${hosts['of no host']}/hook`);
    expect(missing.status).toBe(scheme === 'http' ? 422 : method === 'POST' ? 201 : 200);
    for (const host of Object.values(hosts)) {
      expect(await answerTo(method, at, `${scheme}://${host}/hook`)).toEqual(missing);
    }
  }
  expect(names.asked).toEqual([]);
});
