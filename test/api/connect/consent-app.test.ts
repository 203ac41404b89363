// The app of a consent: registered at the user's server, or set by the project or the operator.
import { beforeEach, describe, expect, test } from 'vitest';
import type { AppRegistration, ConsentMethod } from '../../../activities/platforms/platform.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { findConsentApp } from '../../../api/connect/consent.ts';
import { createConnectRoutes } from '../../../api/connect/routes.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { putApp } from '../../../schema/database/accounts/apps.ts';
import type { PlatformEntry, PlatformName } from '../../../schema/platforms/index.ts';
import { createBrowser } from '../../support/app/browser.ts';
import { beginConsent } from '../../support/app/consent.ts';
import { useRest } from '../../support/app/rest.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { formMethod } from '../../support/networks/oauth/hosted-flow.ts';
import { createScriptedNetwork } from '../../support/scripted-network.ts';

const { platform } = createScriptedNetwork();
const definition: PlatformEntry = { ...platform.definition, name: 'mastodon', hasApp: true };
const nowhere: ConsentMethod = {
  kind: 'consent',
  begin: () => Promise.resolve({ url: 'https://network.test/', flow: {} }),
  complete: () => Promise.reject(new Error('Nobody comes back.')),
};
const config = readConfig({});
const mastodon = { ...config.platforms.mastodon, clientId: 'operator' };
const rest = useRest(
  {},
  {
    config: { ...config, platforms: { ...config.platforms, mastodon } },
    platforms: createPlatforms([
      { ...platform, definition, connect: [nowhere] },
      {
        ...platform,
        definition: { ...definition, name: 'linkedin' },
        connect: [nowhere, formMethod],
      },
      {
        ...platform,
        definition: { ...definition, name: 'instagram' },
        connect: [nowhere, { ...nowhere, appOf: 'facebook' }],
      },
    ]),
  },
);
const tenant = forEachTest(() => rest.createTenant());
const never = new AbortController().signal;
const listApps = () =>
  rest.context.db
    .selectFrom('platform_apps')
    .select(['project_id', 'client_id'])
    .orderBy('client_id')
    .execute();
beforeEach(async () => void (await rest.context.db.deleteFrom('platform_apps').execute()));

describe('an app registered at a server', () => {
  let registered = 0;
  let names: string[] = [];
  let forgotten: string[] = [];
  beforeEach(() => {
    registered = 0;
    names = [];
    forgotten = [];
  });
  const registration: AppRegistration = {
    serverOf: ({ server }) => server!,
    register: (_server, { productName }) => {
      registered++;
      names.push(productName);
      return Promise.resolve({ clientId: `client-${registered}`, clientSecret: 'secret' });
    },
    isKnown: (_server, { clientId }) => Promise.resolve(!forgotten.includes(clientId)),
  };

  const find = (server: string, projectId = tenant.projectId, publicUrl = 'https://a.test') =>
    findConsentApp(
      rest.context,
      projectId,
      {
        definition,
        method: { ...nowhere, registration },
        inputs: { server },
        callbackUrl: `${publicUrl}/connect/callback`,
      },
      never,
    );

  test('is found again, and another public URL registers another app', async () => {
    const app = await find('https://one.test');
    expect(app).toMatchObject({ clientId: 'client-1', clientSecret: 'secret' });
    expect(await find('https://one.test')).toEqual(app);
    const moved = await find('https://one.test', tenant.projectId, 'https://b.test');
    expect(moved).toMatchObject({ clientId: 'client-2' });
    expect(await find('https://one.test')).toEqual(app);
    expect(registered).toBe(2);
  });

  test('has the name of the project, and stays the same when the name changes', async () => {
    const rename = (name: string) =>
      rest.call('PATCH', '/v1/project', { key: tenant.key, body: { name } });
    await rename('Acme');
    const app = await find('https://one.test');
    await rename('Acme & Co');
    expect(await find('https://one.test')).toEqual(app);
    await find('https://two.test');
    expect(names).toEqual(['Acme', 'Acme & Co']);
  });

  test('is a different app at each server, and for each project', async () => {
    const other = await rest.createTenant();
    await find('https://one.test');
    expect(await find('https://two.test')).toMatchObject({ clientId: 'client-2' });
    expect(await find('https://one.test', other.projectId)).toMatchObject({
      clientId: 'client-3',
    });
    const projectIds = (await listApps()).map(({ project_id }) => project_id);
    expect(projectIds).toEqual([tenant.projectId, tenant.projectId, other.projectId]);
  });

  test('is replaced once the server has forgotten it, and stays for consents that have begun', async () => {
    await find('https://one.test');
    forgotten = ['client-1'];
    expect(await find('https://one.test')).toMatchObject({ clientId: 'client-2' });
    expect(await find('https://one.test')).toMatchObject({ clientId: 'client-2' });
    const apps = (await listApps()).map(({ client_id }) => client_id);
    expect(apps).toEqual(['client-1', 'client-2']);
  });

  test('is kept while the server cannot be asked', async () => {
    await find('https://one.test');
    const down = { ...registration, isKnown: () => Promise.reject(new Error('Down.')) };
    const wanted = {
      definition,
      method: { ...nowhere, registration: down },
      inputs: { server: 'https://one.test' },
      callbackUrl: 'https://a.test/connect/callback',
    };
    const found = findConsentApp(rest.context, tenant.projectId, wanted, never);
    await expect(found).rejects.toThrow('Down.');
    expect([registered, (await listApps()).length]).toEqual([1, 1]);
  });
});

describe('a session at a network that needs an app', () => {
  const createSession = (network: PlatformName = 'mastodon') =>
    rest.call('POST', '/v1/connect/sessions', {
      key: tenant.key,
      body: { platform: network, external_user_id: 'user-1' },
    });

  const put = (projectId: string | null, clientId: string, network: PlatformName = 'mastodon') => {
    const app = { platform: network, clientId, clientSecret: null };
    return putApp(rest.context.db, projectId, rest.context.vault, app);
  };

  test.each<[string, PlatformName]>([
    ['only a consent page', 'mastodon'],
    ['a form too', 'linkedin'],
  ])('is refused if no app is set, at a network with %s', async (_, network) => {
    const refused = await createSession(network);
    expect(refused.status).toBe(422);
    expect(refused.body.error.issues).toMatchObject([
      {
        path: 'platform',
        code: 'platform_not_configured',
        message: 'needs an app',
      },
    ]);
    expect(refused.body.error.hint).toBe(
      'Set your own app with `PUT /v1/platform-credentials/:platform`, or ask the operator for one.',
    );
    await put(tenant.projectId, 'own', network);
    expect((await createSession(network)).status).toBe(201);
  });

  test('takes the app of another network that one of its logins uses', async () => {
    expect((await createSession('instagram')).status).toBe(422);
    await put(tenant.projectId, 'own', 'facebook');
    expect((await createSession('instagram')).status).toBe(201);
  });

  test('says on its page that the login is not available if the app was deleted since', async () => {
    await put(tenant.projectId, 'own');
    const { url } = (await createSession()).body.data;
    await rest.call('DELETE', '/v1/platform-credentials/mastodon', { key: tenant.key });
    const hosted = createConnectRoutes(rest.context);
    const page = await beginConsent(
      createBrowser((at, init) => hosted.request(at, init)),
      url,
    );
    expect(page.status).toBe(422);
    expect(page.html).toContain(
      `<p role="alert">Logging in at ${definition.title} is not available here.</p>`,
    );
  });

  test("is refused with an operator's app that the settings don't name", async () => {
    await put(null, 'old');
    expect((await createSession()).status).toBe(422);
    await put(null, 'operator');
    expect((await createSession()).status).toBe(201);
  });
});
