// A project's own apps at networks of Meta: their settings, the URLs to enter there, and what answers say of them.
import { describe, expect, test } from 'vitest';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { findAppFor, putApp, setAppUnaudited } from '../../../schema/database/accounts/apps.ts';
import { facebook } from '../../../schema/platforms/facebook.ts';
import { instagram } from '../../../schema/platforms/instagram.ts';
import { linkedin } from '../../../schema/platforms/linkedin.ts';
import { threads } from '../../../schema/platforms/threads.ts';
import type { PlatformName } from '../../../schema/platforms/index.ts';
import { useRest } from '../../support/app/rest.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { createScriptedNetwork } from '../../support/scripted-network.ts';

const { platform } = createScriptedNetwork();
const rest = useRest(
  {},
  {
    platforms: createPlatforms(
      [facebook, instagram, threads, linkedin].map((definition) => ({ ...platform, definition })),
    ),
  },
);
const owner = forEachTest(() => rest.createTenant());

const put = (network: PlatformName, settings?: object, client_id = 'client') =>
  rest.call('PUT', `/v1/platform-credentials/${network}`, {
    key: owner.key,
    body: { client_id, client_secret: 's', ...(settings && { settings }) },
  });

const findApp = (network: PlatformName) =>
  findAppFor(rest.context.db, owner.projectId, rest.context.vault, { platform: network });

describe('settings', () => {
  test('are kept for the network, shown, and replaced as a whole', async () => {
    const settings = { config_id: '77', login: 'facebook' };
    expect((await put('instagram', settings)).body.data.settings).toEqual(settings);
    expect((await findApp('instagram'))?.settings).toEqual(settings);
    expect((await put('instagram')).body.data.settings).toEqual({});
    expect((await findApp('instagram'))?.settings).toEqual({});
  });

  test.each<[PlatformName, object, string]>([
    ['facebook', { config_id: 'x' }, 'settings.config_id'],
    ['facebook', { login: 'facebook' }, 'settings.login'],
    ['instagram', { login: 'threads' }, 'settings.login'],
    ['instagram', { config_id: 77 }, 'settings.config_id'],
    ['threads', { config_id: '77' }, 'settings.config_id'],
    ['linkedin', { scope: 'a' }, 'settings.scope'],
  ])('are refused for %s: %j', async (network, settings, path) => {
    const refused = await put(network, settings);
    expect(refused.status).toBe(422);
    expect(refused.body.error.issues).toMatchObject([{ path }]);
    expect(await findApp(network)).toBeUndefined();
  });

  test("are absent from the operator's app", async () => {
    const { db, vault } = rest.context;
    const app = { platform: 'facebook', clientId: 'operator', clientSecret: 's' } as const;
    await putApp(db, null, vault, app);
    const found = await findAppFor(db, owner.projectId, vault, {
      platform: 'facebook',
      operatorClientId: 'operator',
    });
    expect(found).not.toHaveProperty('settings');
  });
});

describe('callback URLs', () => {
  test('have a key that nobody can guess, and keep this key while the client ID stays', async () => {
    const { callback_urls: urls } = (await put('threads')).body.data;
    const [, key] = /^http:\/\/fanfare\.test\/inbound\/meta\/([0-9a-f]{32})\/deauthorize$/.exec(
      urls.deauthorize,
    )!;
    expect(urls).toEqual({
      redirect: 'http://fanfare.test/connect/callback',
      deauthorize: urls.deauthorize,
      data_deletion: `http://fanfare.test/inbound/meta/${key}/data-deletion`,
      webhook: null,
    });
    expect((await put('threads')).body.data.callback_urls).toEqual(urls);
    expect((await put('threads', undefined, 'other')).body.data.callback_urls).not.toEqual(urls);
  });

  test('are null for a network that reports nothing of users', async () => {
    expect((await put('linkedin')).body.data.callback_urls).toMatchObject({
      deauthorize: null,
      data_deletion: null,
    });
  });
});

test('the approval is unknown until a refusal, and again after the app is set', async () => {
  expect((await put('facebook')).body.data.approval).toBe('unknown');
  await setAppUnaudited(rest.context.db, (await findApp('facebook'))!.id);
  const path = '/v1/platform-credentials/facebook';
  const read = await rest.call('GET', path, { key: owner.key });
  expect(read.body.data.approval).toBe('unaudited');
  expect((await put('facebook')).body.data.approval).toBe('unknown');
});
