// Reads the keys of the vault at a start, and runs the command `keys rotate`.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../schema/config/config.ts';
import type { Db } from '../../schema/database/tables.ts';
import { checkVault, listKnownKeys } from '../../schema/database/vault-check.ts';
import { countSealed, rotateVault, type Rotated } from '../../schema/database/vault-rotation.ts';
import { createVault, type Vault } from '../../schema/database/vault.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import { readOrCreateSecret } from '../embedded/data-directory.ts';
import type { Answer } from './output/answer.ts';

const file = 'vault-keys';

/** The first start creates a key if the configuration has none. */
export function openVault(config: Config): Vault {
  const entries =
    config.secrets.vaultKeys ??
    readOrCreateSecret(
      config.dataDirectory,
      file,
      () => `k1:${randomBytes(32).toString('base64')}`,
    );
  const keys = entries.split(',').map((entry) => entry.trim().split(':') as [string, string]);
  const byId = new Map(keys.map(([id, key]) => [id, Buffer.from(key, 'base64')]));
  return createVault(byId, keys[0]![0]);
}

/** Throws instead of creating a key. */
export function openKnownVault(config: Config): Vault {
  const isKnown =
    config.secrets.vaultKeys !== undefined || existsSync(join(config.dataDirectory, file));
  if (!isKnown) throw new Error('This command needs FANFARE_VAULT_KEYS.');
  return openVault(config);
}

/** Seals all values of older keys with the first key. Returns which other keys are new, unused or still in use. */
export async function rotateKeys(
  db: Db,
  vault: Vault,
  note: (line: string) => void,
): Promise<Answer> {
  await checkVault(db, vault);
  const ends = new Map<string, Rotated>();
  for await (const rotated of rotateVault(db, vault)) {
    ends.set(`${rotated.table}.${rotated.column}`, rotated);
    note(`${rotated.table}.${rotated.column}: ${rotated.resealed}`);
  }
  const all = [...ends.values()];
  const resealed = sum(all.map((each) => each.resealed));
  const unopened = sum(all.map((each) => each.unopened));
  const counts = await countSealed(db);
  const known = await listKnownKeys(db);
  const others = new Set([...vault.keyIds, ...counts.keys()]);
  others.delete(vault.keyId);
  const otherKeys = [...others].toSorted().map((id) => {
    const sealed = counts.get(id) ?? 0;
    const status = !known.has(id) ? 'new' : sealed === 0 ? 'unused' : 'in_use';
    return { id, status, sealed } as const;
  });
  const lines = [
    `Sealed ${countOf(resealed, 'value')} with the key ${vault.keyId}.`,
    ...(unopened > 0 ? [`The vault can't open ${unopened} of the other values.`] : []),
    ...otherKeys.map(describeKey),
  ];
  return {
    text: lines.join('\n'),
    data: { key: vault.keyId, resealed, unopened, other_keys: otherKeys },
  };
}

interface OtherKey {
  id: string;
  status: 'new' | 'unused' | 'in_use';
  /** How many values it seals. */
  sealed: number;
}

function describeKey({ id, status, sealed }: OtherKey): string {
  switch (status) {
    case 'new':
      return `${id}  new. Move it to the front, restart every process, and run the command again.`;
    case 'unused':
      return `${id}  unused. You can remove it from FANFARE_VAULT_KEYS.`;
    case 'in_use':
      return `${id}  still seals ${countOf(sealed, 'value')}. Keep it, and run the command again.`;
  }
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
