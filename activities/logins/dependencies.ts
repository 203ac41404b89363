// The dependencies of the steps that refresh and end logins.
import type { Logger } from 'pino';
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import type { Vault } from '../../schema/database/vault.ts';
import type { Platforms } from '../platforms/index.ts';
import type { PendingRefreshes } from './pending-refreshes.ts';

export interface LoginDependencies {
  db: Db;
  vault: Vault;
  notifier: Notifier;
  platforms: Platforms;
  refreshes: PendingRefreshes;
  previewEvents: boolean;
  log: Logger;
}
