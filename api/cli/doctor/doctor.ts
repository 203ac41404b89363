// The command `doctor`: checks the configuration and everything that it names, and says what to do.
import { connectDatabase } from '../../../schema/database/connect.ts';
import type { Config } from '../../../schema/config/config.ts';
import { findRunningDatabase } from '../../embedded/postgres-cluster.ts';
import { describeFailure } from '../../server/parts.ts';
import type { Answer } from '../output/answer.ts';
import { toTable } from '../output/table.ts';
import { checkVersions } from './api-versions.ts';
import {
  checkApps,
  checkKeys,
  checkClock,
  checkMigrations,
  checkVaultKeys,
} from './database-checks.ts';
import { ok, type Check, type Finding } from './finding.ts';
import { checkCertificate, checkMedia, checkTemporal } from './outside-checks.ts';

/** `read` throws a ConfigError. */
export async function doctor(read: () => Config): Promise<Answer> {
  const data = await examineConfig(read);
  const text = toTable(['STATUS', 'CHECK', 'MESSAGE'], data.flatMap(toRows));
  return { text, data, exitCode: data.some(({ status }) => status === 'failed') ? 1 : 0 };
}

const toRows = ({ name, status, message }: Finding) =>
  message.split('\n').map((line, index) => (index === 0 ? [status, name, line] : ['', '', line]));

async function examineConfig(read: () => Config): Promise<Finding[]> {
  let config: Config;
  try {
    config = read();
  } catch (error) {
    return [{ name: 'Configuration', status: 'failed', message: (error as Error).message }];
  }
  const url = config.databaseUrl ?? findRunningDatabase(config.dataDirectory);
  const message = 'Every variable is valid.';
  return [{ name: 'Configuration', ...ok(message) }, ...(await examine(config, url))];
}

/** Each check is made, whatever the others found. */
export async function examine(
  config: Config,
  databaseUrl: string | undefined,
  now = new Date(),
): Promise<Finding[]> {
  const connection =
    databaseUrl === undefined
      ? undefined
      : connectDatabase({ url: databaseUrl, maxConnections: 2, applicationName: 'fanfare doctor' });
  const ofDatabase: [string, Check][] = connection
    ? [
        ['Database', () => checkMigrations(connection.db)],
        ['Clock', () => checkClock(connection.db)],
        ['Vault', () => checkVaultKeys(connection.db, config)],
        ['API keys', () => checkKeys(connection.db, now)],
        ['Apps', () => checkApps(connection.db, config)],
        ['Media', () => checkMedia(connection.db, config)],
      ]
    : [['Database', notRunning]];
  const checks: [string, Check][] = [
    ...ofDatabase,
    ['Temporal', () => checkTemporal(config)],
    ['Certificate', () => checkCertificate(config.publicUrl, now)],
    ['API versions', () => checkVersions(config, now, connection?.db)],
  ];
  const findings: Finding[] = [];
  try {
    for (const [name, check] of checks) {
      const found = await check().catch((error: unknown) => {
        return { status: 'failed', message: describeFailure(error) } as const;
      });
      if (found) findings.push({ name, ...found });
    }
  } finally {
    await connection?.close();
  }
  return findings;
}

async function notRunning(): Promise<never> {
  throw new Error('Set DATABASE_URL, or run `start` on the data directory.');
}
