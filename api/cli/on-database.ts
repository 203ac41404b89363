// The commands that read or change the database: the configured one, or the embedded one of a running `start`.
import { resolve } from 'node:path';
import type { Config } from '../../schema/config/config.ts';
import { connectDatabase } from '../../schema/database/connect.ts';
import { createNotifier, type Notifier } from '../../schema/database/notifier.ts';
import type { Db } from '../../schema/database/tables.ts';
import { findRunningDatabase } from '../embedded/postgres-cluster.ts';
import type { Answer } from './output/answer.ts';
import { eraseProject, type EraseFlags } from './erase-project.ts';
import { pause, resume, showPauses } from './pause.ts';
import { restored } from './restored.ts';
import { readMinutes, showStuck } from './stuck.ts';
import { createKey, createProject, renameProject, showProjects, type KeyFlags } from './tenants.ts';
import { openKnownVault, rotateKeys } from './vault-keys.ts';

type Command =
  | 'apps'
  | 'projects create'
  | 'projects list'
  | 'projects rename'
  | 'projects erase'
  | 'keys create'
  | 'pause'
  | 'resume'
  | 'pauses'
  | 'keys rotate'
  | 'restored'
  | 'stuck';

interface Given {
  values: KeyFlags & EraseFlags & { minutes?: string | undefined };
  /** Scope of a pause. */
  scope: string;
  config: Config;
  note: (line: string) => void;
}

interface Access {
  db: Db;
  notifier: Notifier;
}

/** Throws an InvalidArgument. */
export async function runOnDatabase(command: Command, given: Given): Promise<Answer> {
  const { config } = given;
  const work = prepare(command, given);
  const url = config.databaseUrl ?? findRunningDatabase(config.dataDirectory);
  if (url === undefined) {
    throw new Error(
      `This command needs DATABASE_URL, or FANFARE_DATA_DIR with the data directory of a running \`start\`. No \`start\` runs in ${resolve(config.dataDirectory)}.`,
    );
  }
  const connection = connectDatabase({
    url,
    maxConnections: 2,
    applicationName: 'fanfare cli',
    // Their duration depends on the number of rows, so they have no time limit.
    ...((command === 'keys rotate' || command === 'projects erase') && { transactionTimeoutS: 0 }),
  });
  const notifier = createNotifier(url);
  try {
    return await work({ db: connection.db, notifier });
  } finally {
    await notifier.close();
    await connection.close();
  }
}

function prepare(
  command: Command,
  { values, scope, config, note }: Given,
): (access: Access) => Promise<Answer> {
  switch (command) {
    case 'apps':
      // `apps.ts` loads the connect flow, which the other commands don't need.
      return async ({ db }) => (await import('./apps.ts')).showApps(db, config);
    case 'projects create':
      return ({ db }) => createProject(db, values);
    case 'projects list':
      return ({ db }) => showProjects(db);
    case 'projects rename':
      return ({ db }) => renameProject(db, values);
    case 'projects erase':
      return ({ db }) => eraseProject(db, config, values);
    case 'keys create':
      return ({ db }) => createKey(db, values);
    case 'pause':
      return ({ db }) => pause(db, scope);
    case 'resume':
      return (access) => resume(access, scope);
    case 'pauses':
      return ({ db }) => showPauses(db);
    case 'keys rotate':
      return ({ db }) => rotateKeys(db, openKnownVault(config), note);
    case 'restored':
      return restored;
    case 'stuck': {
      const minutes = readMinutes(values.minutes);
      return ({ db }) => showStuck(db, minutes);
    }
  }
}
