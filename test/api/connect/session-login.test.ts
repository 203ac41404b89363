// Sessions at a network with several logins: which of them the page offers, and what a session needs.
import { beforeEach, describe, expect, test } from 'vitest';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import type { ConsentMethod } from '../../../activities/platforms/platform.ts';
import { createConnectRoutes } from '../../../api/connect/routes.ts';
import { putApp } from '../../../schema/database/accounts/apps.ts';
import { instagram } from '../../../schema/platforms/instagram.ts';
import type { PlatformName } from '../../../schema/platforms/index.ts';
import { createBrowser } from '../../support/app/browser.ts';
import { beginConsent } from '../../support/app/consent.ts';
import { useRest, type TestKey } from '../../support/app/rest.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { createScriptedNetwork } from '../../support/scripted-network.ts';

const { platform } = createScriptedNetwork();

/** The consent page names the app and its configuration. Nobody comes back from it with a login. */
const loginAt = (name: string, more: Partial<ConsentMethod> = {}): ConsentMethod => ({
  kind: 'consent',
  name,
  begin: ({ app, state, callbackUrl }) => {
    const url = new URL(`https://${name}.test/`);
    url.searchParams.set('client', app!.clientId);
    url.searchParams.set('config', app!.settings?.['config_id'] ?? 'none');
    url.searchParams.set('back', `${callbackUrl}?code=1&state=${state}`);
    return Promise.resolve({ url: url.href, flow: {} });
  },
  complete: () =>
    Promise.reject(new PlatformError('rejected', 'Not approved.', { failsAs: 'app_not_approved' })),
  ...more,
});

const rest = useRest(
  {},
  {
    platforms: createPlatforms([
      {
        ...platform,
        definition: instagram,
        connect: [
          loginAt('instagram'),
          loginAt('facebook', { title: 'Facebook', appOf: 'facebook' }),
        ],
      },
      { ...platform, definition: { ...platform.definition, name: 'linkedin' } },
    ]),
  },
);
const tenant = forEachTest(() => rest.createTenant());
const update = (body: object) => rest.call('PATCH', '/v1/project', { key: tenant.key, body });

beforeEach(async () => {
  await rest.context.db.deleteFrom('platform_apps').execute();
  await update({ privacy_url: 'https://example.com/privacy' });
});

const put = (network: PlatformName, settings: Record<string, string> = {}) =>
  putApp(rest.context.db, tenant.projectId, rest.context.vault, {
    platform: network,
    clientId: `app-of-${network}`,
    clientSecret: 's',
    settings,
  });

const create = (input: object = {}, { key }: TestKey = tenant) =>
  rest.call('POST', '/v1/connect/sessions', {
    key,
    body: { platform: 'instagram', external_user_id: 'user-1', ...input },
  });

async function refusedWith(input?: object): Promise<[string, string]> {
  const { status, body } = await create(input);
  expect(status).toBe(422);
  const [{ path, code }] = body.error.issues;
  return [path, code];
}

function browse() {
  const hosted = createConnectRoutes(rest.context);
  return createBrowser((url, init) =>
    new URL(url).hostname === 'fanfare.test' ? hosted.request(url, init) : new Response(),
  );
}

/** The consent page that the session's page leads to. */
async function follow(url: string) {
  const { searchParams, hostname } = new URL((await beginConsent(browse(), url)).url);
  return [hostname, searchParams.get('client'), searchParams.get('config')];
}

describe('a session', () => {
  test('offers every login that has an app', async () => {
    await put('instagram');
    await put('facebook');
    const { data } = (await create()).body;
    expect(data.login).toBeNull();
    const { html } = await browse().visit(data.url);
    expect(html).toContain('Log in at Facebook instead');
    expect(await follow(data.url)).toEqual(['instagram.test', 'app-of-instagram', 'none']);
  });

  test('offers only the login that it names', async () => {
    await put('instagram');
    await put('facebook');
    const { data } = (await create({ login: 'facebook' })).body;
    expect(data.login).toBe('facebook');
    const browser = browse();
    const { html } = await browser.visit(data.url);
    expect(html).toContain('You log in at Facebook, and allow it there.');
    expect(html).not.toContain('instead');
    expect((await browser.visit(`http://fanfare.test/connect/${data.id}?way=2`)).status).toBe(404);
    expect(await follow(data.url)).toEqual(['facebook.test', 'app-of-facebook', 'none']);
  });

  test('offers only the login that has an app', async () => {
    await put('facebook');
    const { data } = (await create()).body;
    expect(data.login).toBe('facebook');
    expect(await follow(data.url)).toEqual(['facebook.test', 'app-of-facebook', 'none']);
  });

  test('is refused if no login has an app, or if the login that it names has no app', async () => {
    expect(await refusedWith()).toEqual(['platform', 'platform_not_configured']);
    await put('facebook');
    expect(await refusedWith({ login: 'instagram' })).toEqual(['login', 'platform_not_configured']);
  });

  test.each(['threads', 'Facebook'])('is refused with the login %s', async (login) => {
    await put('instagram');
    expect(await refusedWith({ login })).toEqual(['login', 'unknown_login']);
    expect((await create({ login })).body.error.issues[0].message).toBe(
      'must be "instagram" or "facebook" at Instagram',
    );
  });

  test('refuses the field login at a network that has only one login', async () => {
    const refused = await refusedWith({ platform: 'linkedin', login: 'facebook' });
    expect(refused).toEqual(['login', 'unknown_login']);
  });

  test('reconnects an account with the login that it names', async () => {
    await put('instagram');
    await put('facebook');
    const accountId = await rest.insertAccount(tenant.projectId, { platform: 'instagram' });
    const again = { platform: undefined, external_user_id: undefined };
    const reconnect = { ...again, social_account_id: accountId, login: 'facebook' };
    expect((await create(reconnect)).body.data).toMatchObject({ login: 'facebook' });
  });
});

describe('the app of a login', () => {
  test("is the app set for the network itself if that app's settings name the login", async () => {
    await put('instagram', { login: 'facebook', config_id: '77' });
    const { data } = (await create()).body;
    expect(data.login).toBe('facebook');
    expect(await follow(data.url)).toEqual(['facebook.test', 'app-of-instagram', '77']);
  });

  test("uses the configuration in the network's settings, or else the one in its own settings", async () => {
    await put('facebook', { config_id: '1' });
    const session = async () => (await create({ login: 'facebook' })).body.data.url as string;
    expect(await follow(await session())).toEqual(['facebook.test', 'app-of-facebook', '1']);
    await put('instagram', { config_id: '2' });
    expect(await follow(await session())).toEqual(['facebook.test', 'app-of-facebook', '2']);
  });

  test('is unaudited if the network refuses the login because the app is not approved', async () => {
    const { id } = await put('instagram');
    const { data } = (await create()).body;
    const browser = browse();
    const { url } = await beginConsent(browser, data.url);
    const page = await browser.visit(new URL(url).searchParams.get('back')!);
    expect(page.html).toContain('Not approved.');
    const read = rest.context.db
      .selectFrom('platform_apps')
      .select('approval')
      .where('id', '=', id);
    expect(await read.executeTakeFirst()).toEqual({ approval: 'unaudited' });
  });
});

describe('the privacy policy', () => {
  test('is required if the network reviews it', async () => {
    await put('instagram');
    await update({ privacy_url: null });
    expect(await refusedWith()).toEqual(['platform', 'privacy_url_required']);
    const { hint } = (await create()).body.error;
    expect(hint).toBe('Set `privacy_url` with `PATCH /v1/project`.');
    expect((await create({ platform: 'linkedin' })).status).toBe(201);
  });

  test('is linked from the page, with the terms and the support', async () => {
    await put('instagram');
    await update({ support_url: 'https://example.com/help' });
    const { html } = await browse().visit((await create()).body.data.url);
    const footer = /<footer[^>]*>(.*)<\/footer>/s.exec(html)![1]!;
    expect([...footer.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      'https://example.com/privacy',
      'https://example.com/help',
    ]);
  });
});
