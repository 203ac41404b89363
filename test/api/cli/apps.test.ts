// The command apps: the operator's apps, with the URLs to enter at their networks.
import { expect, test } from 'vitest';
import { showApps } from '../../../api/cli/apps.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { putApp, storeOperatorApps } from '../../../schema/database/accounts/apps.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addProject, rowsVault } from '../../support/rows/rows.ts';

const database = useDatabase();

const config = readConfig({
  FANFARE_PUBLIC_URL: 'https://fanfare.example',
  FANFARE_FACEBOOK_CLIENT_ID: '1234',
  FANFARE_FACEBOOK_CLIENT_SECRET: 'word',
  FANFARE_LINKEDIN_CLIENT_ID: '5678',
  FANFARE_LINKEDIN_CLIENT_SECRET: 'word',
  FANFARE_TIKTOK_CLIENT_ID: '9012',
  FANFARE_TIKTOK_CLIENT_SECRET: 'word',
});

test('the command shows the apps of the settings, and no secret', async () => {
  const { db } = database;
  expect((await showApps(db, config)).text).toMatch(/^No app is known\./);
  const older = { platform: 'facebook', clientId: 'older', clientSecret: null } as const;
  await putApp(db, null, rowsVault, older);
  await putApp(db, await addProject(db), rowsVault, { ...older, clientId: 'of a project' });
  await storeOperatorApps(db, rowsVault, config.platforms);
  const { text: shown, data } = await showApps(db, config);
  expect(shown.replaceAll(/[0-9a-f]{32}/g, '<key>').split('\n')).toEqual([
    'facebook  1234  approval unknown',
    '  redirect       https://fanfare.example/connect/callback',
    '  deauthorize    https://fanfare.example/inbound/meta/<key>/deauthorize',
    '  data deletion  https://fanfare.example/inbound/meta/<key>/data-deletion',
    '',
    'linkedin  5678  approval unknown',
    '  redirect       https://fanfare.example/connect/callback',
    '',
    'tiktok  9012  approval unknown',
    '  redirect       https://fanfare.example/connect/callback',
    '  webhook        https://fanfare.example/inbound/tiktok/<key>',
  ]);
  expect(data).toMatchObject([
    { platform: 'facebook', client_id: '1234', data_deletion: expect.any(String), webhook: null },
    { platform: 'linkedin', data_deletion: null },
    { platform: 'tiktok', webhook: expect.any(String) },
  ]);
  await storeOperatorApps(db, rowsVault, config.platforms);
  expect((await showApps(db, config)).text).toBe(shown);
  const local = { ...config, publicUrl: undefined, port: 4001 };
  expect((await showApps(db, local)).text).toContain('http://127.0.0.1:4001/connect/callback');
});
