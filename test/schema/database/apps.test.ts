// The app that a new consent uses, and the operator's apps from the settings.
import { beforeEach, describe, expect, test } from 'vitest';
import {
  addApp,
  findAppFor,
  putApp,
  storeOperatorApps,
  type WantedApp,
} from '../../../schema/database/accounts/apps.ts';
import { platformDefinitions, readPlatformSettings } from '../../../schema/platforms/index.ts';
import type { PlatformEntry } from '../../../schema/platforms/index.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addGrant } from '../../support/rows/grants.ts';
import { addProject, rowsVault } from '../../support/rows/rows.ts';

const database = useDatabase();
let projectId: string;
beforeEach(async () => {
  await database.db.deleteFrom('platform_apps').execute();
  projectId = await addProject(database.db);
});

const plain = platformDefinitions.find(({ name }) => name === 'mastodon')!;
const platform = 'mastodon';
const definition: PlatformEntry = { ...plain, hasApp: true };

const find = (wanted: Partial<WantedApp> = {}, of = projectId) =>
  findAppFor(database.db, of, rowsVault, { platform, ...wanted });
const put = (clientId: string, of: string | null, instance?: string) =>
  putApp(database.db, of, rowsVault, {
    platform,
    clientId,
    clientSecret: `secret of ${clientId}`,
    ...(instance !== undefined && { instance }),
  });

/** As a start does with these variables. */
const start = (clientId?: string, clientSecret?: string) => {
  const settings = readPlatformSettings({});
  const own = { ...settings.mastodon, clientId, clientSecret };
  return storeOperatorApps(database.db, rowsVault, { ...settings, mastodon: own }, [definition]);
};

const listApps = () =>
  database.db.selectFrom('platform_apps').select(['id', 'client_id']).orderBy('id').execute();

test('an app that is known keeps its secret when it is added again', async () => {
  const app = { platform, instance: 'a.example', clientId: 'https://us.example/client' } as const;
  const secrets = ['one', 'two', 'three'];
  await Promise.all(
    secrets.map((clientSecret) => addApp(database.db, null, rowsVault, { ...app, clientSecret })),
  );
  const first = await find({ instance: 'a.example' });
  expect(secrets).toContain(first!.clientSecret);
  await addApp(database.db, null, rowsVault, { ...app, clientSecret: 'four' });
  expect(await find({ instance: 'a.example' })).toEqual(first);
  expect(await find({ instance: 'a.example' }, await addProject(database.db))).toEqual(first);
  expect(await listApps()).toHaveLength(1);
});

describe('a new consent uses', () => {
  test("the project's app, or else the operator's app", async () => {
    await start('operator', 'word');
    const wanted = { operatorClientId: 'operator' };
    expect(await find(wanted)).toMatchObject({ clientId: 'operator', clientSecret: 'word' });
    await put('own', projectId);
    expect(await find(wanted)).toMatchObject({
      clientId: 'own',
      clientSecret: 'secret of own',
    });
    const other = await addProject(database.db);
    expect(await find(wanted, other)).toMatchObject({ clientId: 'operator' });
  });

  test.each([undefined, 'newer'])(
    "no operator's app that the settings no longer name: %s",
    async (operatorClientId) => {
      await start('older');
      expect(await find({ operatorClientId })).toBeUndefined();
    },
  );

  test('the app of its instance', async () => {
    await put('one', null, 'one.example');
    await put('two', null, 'two.example');
    await put('own', projectId, 'two.example');
    const of = async (instance: string) => (await find({ instance }))?.clientId;
    expect(await of('one.example')).toBe('one');
    expect(await of('two.example')).toBe('own');
    expect(await of('three.example')).toBeUndefined();
    expect(await find()).toBeUndefined();
  });
});

describe("the operator's app", () => {
  test('is stored once, with its last secret, however many processes start', async () => {
    await Promise.all([start('client', 'one'), start('client', 'one'), start('client', 'one')]);
    const [stored, ...others] = await listApps();
    expect(others).toEqual([]);
    await start('client', 'two');
    expect(await find({ operatorClientId: 'client' })).toEqual({
      id: stored!.id,
      clientId: 'client',
      clientSecret: 'two',
    });
    await start('client');
    expect(await find({ operatorClientId: 'client' })).toMatchObject({ clientSecret: null });
  });

  test('stays for its logins when the variables change', async () => {
    await start('one');
    const { id } = (await find({ operatorClientId: 'one' }))!;
    const grantId = await addGrant(database.db, { projectId, platform, appId: id });
    await start('two');
    expect(await find({ operatorClientId: 'two' })).toMatchObject({ clientId: 'two' });
    const grants = database.db.selectFrom('grants').select('app_id').where('id', '=', grantId);
    expect(await grants.executeTakeFirst()).toEqual({ app_id: id });
  });

  test('is not stored without a client ID, or for a network that needs none', async () => {
    await start(undefined, 'word');
    const settings = readPlatformSettings({});
    const own = { ...settings.mastodon, clientId: 'client' };
    await storeOperatorApps(database.db, rowsVault, { ...settings, mastodon: own }, [plain]);
    expect(await listApps()).toEqual([]);
  });
});
