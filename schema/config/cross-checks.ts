// Faults of the configuration that lie in more than the form of one variable.
import type { z } from 'zod';
import { parseCidrs } from './cidrs.ts';
import type { Environment } from './environment.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** What the process is for. `operator`: one command on the database, which opens nothing sealed. */
export type Role = 'start' | 'api' | 'worker' | 'operator';

/** `values`: what the variables say, where each is well-formed. */
export function findCrossFaults(
  env: Variables,
  values: z.output<typeof Environment> | undefined,
  role: Role,
): string[] {
  return [
    ...vaultKeyFaults(env, role),
    ...sandboxFaults(env, role),
    ...cidrFaults(env['FANFARE_ALLOW_PRIVATE_CIDRS']),
    ...storedDocumentFaults(env),
    ...(values ? retentionFaults(values) : []),
  ];
}

function vaultKeyFaults(env: Variables, role: Role): string[] {
  const keys = env['FANFARE_VAULT_KEYS'];
  if (keys === undefined) {
    // Every process that shares a database must open what the others seal.
    return env['DATABASE_URL'] === undefined || role === 'operator'
      ? []
      : ['FANFARE_VAULT_KEYS: is required with DATABASE_URL, as <id>:<base64 of 32 bytes>'];
  }
  return keys
    .split(',')
    .flatMap((entry, i) =>
      /^[\w-]+:[A-Za-z0-9+/]{43}=$/.test(entry.trim())
        ? []
        : [`FANFARE_VAULT_KEYS: entry ${i + 1} is not <id>:<base64 of 32 bytes>`],
    );
}

/** A worker serves no sandbox: without the address it would call itself. */
function sandboxFaults(env: Variables, role: Role): string[] {
  const isOn = env['FANFARE_SANDBOX'] === 'true';
  if (role !== 'worker' || !isOn || env['FANFARE_SANDBOX_API_URL']) return [];
  return [
    'FANFARE_SANDBOX_API_URL: is required by `worker` with FANFARE_SANDBOX=true, as <address of `api`>/sandbox',
  ];
}

function cidrFaults(cidrs: string | undefined): string[] {
  return parseCidrs(cidrs ?? '').faults.map((fault) => `FANFARE_ALLOW_PRIVATE_CIDRS: ${fault}`);
}

function storedDocumentFaults(env: Variables): string[] {
  if (env['FANFARE_PERSISTED_ONLY'] !== 'true' || env['FANFARE_PERSISTED_DOCUMENTS']) return [];
  return ['FANFARE_PERSISTED_ONLY: needs FANFARE_PERSISTED_DOCUMENTS, or nothing could be asked'];
}

function retentionFaults({
  FANFARE_RETENTION_DAYS: days,
  FANFARE_FEED_RETENTION_HOURS: hours,
  FANFARE_BOOKMARK_MS: bookmarkMs,
}: z.output<typeof Environment>): string[] {
  const faults: string[] = [];
  if (hours > days * 24) {
    faults.push(
      'FANFARE_FEED_RETENTION_HOURS: streams would tell of records that are gone already',
    );
  }
  if (bookmarkMs * 2 > hours * 3_600_000) {
    faults.push('FANFARE_BOOKMARK_MS: must be at most half of FANFARE_FEED_RETENTION_HOURS');
  }
  return faults;
}
