// A login that is revoked while its account is connected again: the new login starts after the revocation.
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import type { Grant, Platform } from '../../../activities/platforms/platform.ts';
import { createConnectRoutes } from '../../../api/connect/routes.ts';
import { insertRevocation } from '../../../schema/database/accounts/revocations.ts';
import { createBrowser } from '../../support/app/browser.ts';
import { useRest } from '../../support/app/rest.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { watchStatements } from '../../support/rows/statements.ts';
import { createScriptedNetwork } from '../../support/scripted-network.ts';

const networkUrl = 'http://network.test';

/** Gives every login of the user the same token, until a revocation ends it. */
const network = { isTokenValid: false, revocations: 0, answer: Promise.withResolvers<void>() };

function logIn(): Promise<Grant> {
  network.isTokenValid = true;
  return Promise.resolve({
    credentials: { access_token: 'token' },
    scope: ['post'],
    tokenExpiresAt: null,
    accounts: [{ externalAccountId: 'ada', accountName: 'ada', problem: null }],
  });
}

const platform: Platform = {
  ...createScriptedNetwork().platform,
  connect: [
    { kind: 'form', fields: z.strictObject({ name: z.string() }), run: logIn },
    {
      kind: 'consent',
      begin: ({ state, callbackUrl }) =>
        Promise.resolve({
          url: `${networkUrl}?${new URLSearchParams({ state, callbackUrl }).toString()}`,
          flow: {},
        }),
      complete: logIn,
    },
  ],
  importTokens: logIn,
  revoke: async (_login, signal) => {
    network.revocations++;
    const gone = new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('No answer.')));
    });
    await Promise.race([network.answer.promise, gone]);
    network.isTokenValid = false;
  },
};

const rest = useRest({}, { platforms: createPlatforms([platform]) });
const tenant = forEachTest(() => rest.createTenant());
beforeEach(() => {
  Object.assign(network, { revocations: 0, answer: Promise.withResolvers<void>() });
});

const call = (method: string, path: string, body?: unknown) =>
  rest.call(method, path, { key: tenant.key, body });

async function connectByApi(): Promise<string> {
  const body = { platform: 'sandbox', credentials: { name: 'ada' } };
  return (await call('POST', '/v1/accounts/connect', body)).body.data.id;
}

async function importTokens(): Promise<string> {
  const body = { platform: 'sandbox', access_token: 'token' };
  return (await call('POST', '/v1/accounts/import', body)).body.data.id;
}

/** On the hosted page, by the form or the consent. */
async function connectOnPage(way: 'form' | 'consent'): Promise<string> {
  const session = await call('POST', '/v1/connect/sessions', {
    platform: 'sandbox',
    external_user_id: 'user-1',
  });
  const connect = platform.connect.filter(({ kind }) => kind === way);
  const platforms = createPlatforms([{ ...platform, connect }]);
  const pages = createConnectRoutes({ ...rest.context, platforms });
  const browser = createBrowser((url, init) => {
    const { searchParams } = new URL(url);
    if (!url.startsWith(networkUrl)) return pages.request(url, init);
    const callback = new URL(searchParams.get('callbackUrl')!);
    callback.search = new URLSearchParams({
      state: searchParams.get('state')!,
      code: '1',
    }).toString();
    return Promise.resolve(
      new Response(null, { status: 302, headers: { Location: callback.href } }),
    );
  });
  const page = await browser.visit(session.body.data.url);
  await browser.submit(page, { decision: 'connect', ...(way === 'form' && { name: 'ada' }) });
  const { body } = await call('GET', `/v1/connect/sessions/${session.body.data.id}`);
  return body.data.completed_social_account_id;
}

const listRevocations = () =>
  rest.context.db
    .selectFrom('revocations')
    .select('id')
    .where('project_id', '=', tenant.projectId)
    .execute();

describe('a login that is being revoked', () => {
  test.each([
    ['the API', connectByApi],
    ['an import', importTokens],
    ['the form of a page', () => connectOnPage('form')],
    ['a consent', () => connectOnPage('consent')],
  ])('does not end the new login that was made by %s', async (_, connect) => {
    const id = await connectByApi();
    const disconnected = call('DELETE', `/v1/accounts/${id}`);
    await expect.poll(() => network.revocations).toBe(1);
    using statements = watchStatements();
    const connected = connect();
    // It waits by then, and looks again.
    const looks = () => statements.count(/^select "id" from "revocations"/);
    await expect.poll(looks).toBeGreaterThan(1);
    network.answer.resolve();
    expect((await disconnected).status).toBe(204);
    expect(await connected).toBe(id);
    expect(network.isTokenValid).toBe(true);
    expect(await listRevocations()).toEqual([]);
  });

  test('holds up no other project', async () => {
    const id = await connectByApi();
    const disconnected = call('DELETE', `/v1/accounts/${id}`);
    await expect.poll(() => network.revocations).toBe(1);
    const { key } = await rest.createTenant();
    const body = { platform: 'sandbox', credentials: { name: 'ada' } };
    expect((await rest.call('POST', '/v1/accounts/connect', { key, body })).status).toBe(201);
    network.answer.resolve();
    await disconnected;
  });

  test('stays in flight if its call had no answer, because it may still arrive', async () => {
    const id = await connectByApi();
    expect((await call('DELETE', `/v1/accounts/${id}`)).status).toBe(204);
    expect(await listRevocations()).toHaveLength(1);
  });

  test('is waited for only until it expires', async () => {
    const row = { id: 'grt_killed', project_id: tenant.projectId, platform: 'sandbox' } as const;
    await insertRevocation(rest.context.db, row);
    const startedAtMs = performance.now();
    await rest.context.db
      .updateTable('revocations')
      .set({ expires_at: new Date(Date.now() + 500) })
      .where('id', '=', row.id)
      .execute();
    await connectByApi();
    const waitedMs = performance.now() - startedAtMs;
    expect(waitedMs).toBeGreaterThan(400);
    expect(waitedMs).toBeLessThan(4_000);
  });
});
