// Faults of the configuration that lie in more than the form of one variable.
import { parseCidrs } from './cidrs.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export function findCrossFaults(env: Variables): string[] {
  return [
    ...vaultKeyFaults(env['FANFARE_VAULT_KEYS'], env['DATABASE_URL']),
    ...cidrFaults(env['FANFARE_ALLOW_PRIVATE_CIDRS']),
    ...storedDocumentFaults(env),
  ];
}

function vaultKeyFaults(keys: string | undefined, databaseUrl: string | undefined): string[] {
  if (keys === undefined) {
    // Every process that shares a database must open what the others seal.
    return databaseUrl === undefined
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

function cidrFaults(cidrs: string | undefined): string[] {
  return parseCidrs(cidrs ?? '').faults.map((fault) => `FANFARE_ALLOW_PRIVATE_CIDRS: ${fault}`);
}

function storedDocumentFaults(env: Variables): string[] {
  if (env['FANFARE_PERSISTED_ONLY'] !== 'true' || env['FANFARE_PERSISTED_DOCUMENTS']) return [];
  return ['FANFARE_PERSISTED_ONLY: needs FANFARE_PERSISTED_DOCUMENTS, or nothing could be asked'];
}
