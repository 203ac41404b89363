// The recorded version: what `npm run record:upgrade` writes, and the tests of upgrades read.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const fixtures = fileURLToPath(new URL('../../fixtures/upgrade/', import.meta.url));

export interface RecordedRelease {
  version: string;
  /** The commit whose program recorded the fixtures. */
  commit: string;
  recorded_at: string;
  /** A key of the project in the dump. */
  api_key: string;
  vault_keys: string;
  /** Where the webhooks of the dump send. */
  receiver_url: string;
}

export function readRelease(): RecordedRelease {
  return JSON.parse(readFileSync(`${fixtures}release.json`, 'utf8')) as RecordedRelease;
}
