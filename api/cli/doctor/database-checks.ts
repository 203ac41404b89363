// What `doctor` checks in the database.
import type { Config } from '../../../schema/config/config.ts';
import { listOperatorApps } from '../../../schema/database/accounts/apps.ts';
import { countExpiringKeys } from '../../../schema/database/api-keys.ts';
import { readTime } from '../../../schema/database/database-clock.ts';
import { isMigrated } from '../../../schema/database/migrate.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { checkVault } from '../../../schema/database/vault-check.ts';
import { countOf } from '../../../schema/wire/count-of.ts';
import { openKnownVault } from '../vault-keys.ts';
import { ok, warning } from './finding.ts';

/** Clocks that differ by more than this make webhook receivers refuse signatures. */
const mostClockMs = 60_000;
const noticedClockMs = 2_000;
const keyDays = 14;

export async function checkMigrations(db: Db) {
  if (await isMigrated(db)) return ok('It answers, and is migrated.');
  throw new Error('It is not migrated. Run `migrate`.');
}

export async function checkClock(db: Db) {
  const askedAt = Date.now();
  const databaseMs = (await readTime(db)).getTime();
  const middleMs = (askedAt + Date.now()) / 2;
  const offMs = Math.abs(databaseMs - middleMs);
  const message = `The clocks of this machine and of the database differ by ${Math.round(offMs)} ms.`;
  if (offMs > mostClockMs) throw new Error(`${message} Set them by NTP.`);
  return offMs > noticedClockMs ? warning(`${message} Set them by NTP.`) : ok(message);
}

export async function checkVaultKeys(db: Db, config: Config) {
  await checkVault(db, openKnownVault(config));
  return ok('Its keys open what is sealed.');
}

export async function checkKeys(db: Db, now: Date) {
  const by = new Date(now.getTime() + keyDays * 86_400_000);
  const count = await countExpiringKeys(db, by);
  if (count === 0) return ok(`None expires in the next ${keyDays} days.`);
  return warning(`${countOf(count, 'API key')} in use will expire in the next ${keyDays} days.`);
}

export async function checkApps(db: Db, { platforms }: Config) {
  const apps = await listOperatorApps(db, platforms);
  if (apps.length === 0) return undefined;
  const refused = apps.filter(({ approval }) => approval === 'unaudited');
  if (refused.length === 0) return ok(`${countOf(apps.length, 'app')} known.`);
  const names = refused.map(({ platform }) => platform).join(', ');
  return warning(`Not approved by its network: ${names}. See docs/app-review.md.`);
}
