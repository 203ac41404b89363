// Which credentials of each network are secrets.
import { expect, test } from 'vitest';
import { findFormMethod } from '../../../activities/platforms/index.ts';
import {
  secretFieldsOf,
  sharedSecretsOf,
} from '../../../activities/platforms/credential-fields.ts';
import { platformNames, type PlatformName } from '../../../schema/platforms/index.ts';
import { createConnector } from '../../support/networks/contract/connector.ts';

const secrets: Record<PlatformName, string[]> = {
  bluesky: ['app_password'],
  discord: ['webhook_url', 'bot_token'],
  facebook: [],
  instagram: [],
  linkedin: ['access_token'],
  mastodon: ['access_token'],
  nostr: ['private_key'],
  pinterest: [],
  sandbox: [],
  slack: ['bot_token'],
  tiktok: [],
  telegram: ['bot_token'],
  threads: [],
  twitter: [],
  wordpress: ['application_password'],
  youtube: [],
};

test.each(platformNames)('the form of %s marks its secrets', (name) => {
  const platform = createConnector(name, { env: { FANFARE_SANDBOX: 'true' } }, { fetch });
  const form = findFormMethod(platform);
  expect(form ? secretFieldsOf(form.fields) : []).toEqual(secrets[name]);
  expect(sharedSecretsOf(platform)).toEqual(
    expect.arrayContaining(['access_token', 'refresh_token', ...secrets[name]]),
  );
});
