// Every migration in order. Append only: what has run anywhere never changes.
import type { Migration } from 'kysely/migration';
import * as initial from './0001-initial.ts';
import * as webhookCare from './0002-webhook-care.ts';
import * as publishing from './0003-publishing.ts';
import * as live from './0004-live.ts';

export const migrations: Record<string, Migration> = {
  '0001-initial': initial,
  '0002-webhook-care': webhookCare,
  '0003-publishing': publishing,
  '0004-live': live,
};
