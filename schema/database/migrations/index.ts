// Every migration in order.
import type { Migration } from 'kysely/migration';
import * as initial from './0001-initial.ts';

/**
 * From the first release on, only append migrations. Until then, edit the first migration and change its
 * date.
 */
export const migrations: Record<string, Migration> = {
  '0001-2026-11-26-1': initial,
};
