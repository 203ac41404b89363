// The keys of the vault: from the configuration, or one made at the first start and kept for our user alone.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVault, type Vault } from '../../schema/database/vault.ts';
import type { Config } from '../../schema/config/config.ts';

export async function openVault(config: Config): Promise<Vault> {
  const entries = config.secrets.vaultKeys ?? (await keptKeys(config.dataDirectory));
  const keys = entries
    .trim()
    .split(',')
    .map((entry) => entry.trim().split(':') as [string, string]);
  const byId = new Map(keys.map(([id, key]) => [id, Buffer.from(key, 'base64')]));
  return createVault(byId, keys[0]![0]);
}

async function keptKeys(dataDirectory: string): Promise<string> {
  const path = join(dataDirectory, 'vault-keys');
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  if (kept) return kept;
  const made = `k1:${randomBytes(32).toString('base64')}\n`;
  await mkdir(dataDirectory, { recursive: true });
  await writeFile(path, made, { mode: 0o600, flag: 'wx' });
  return made;
}
