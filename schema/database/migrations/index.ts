// Every migration in order.
import type { Migration } from 'kysely/migration';
import * as initial from './0001-initial.ts';

/** The minor version that brings a migration may add to the tables; the next one may remove what is unused then. */
interface LaterMigration extends Migration {
  /** The oldest version of Fanfare that works on the tables from then on, such as `0.2`. */
  oldestVersion: string;
}

/** Only append: a migration must not change once a version has it. `npm run migrate:create` adds one. */
const later: Record<string, LaterMigration> = {};

export type Migrations = Record<string, Migration & Partial<LaterMigration>>;

export const migrations: Migrations = { '0001-2026-11-27-1': initial, ...later };
