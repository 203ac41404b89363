// The command `keys rotate`: its output names the keys that can be removed.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runOnDatabase } from '../../../api/cli/on-database.ts';
import { rotateKeys } from '../../../api/cli/vault-keys.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { createVault } from '../../../schema/database/vault.ts';
import { checkVault } from '../../../schema/database/vault-check.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addGrant } from '../../support/rows/grants.ts';
import { addProject } from '../../support/rows/rows.ts';

const database = useDatabase();
const [one, two, three] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const vaultOf = (keys: Record<string, Buffer>) =>
  createVault(new Map(Object.entries(keys)), Object.keys(keys)[0]!);

async function run(env: Record<string, string>): Promise<string> {
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const config = readConfig({ DATABASE_URL: database.url, ...env }, 'operator');
  const given = { values: { test: false }, scope: '', config, note };
  const { text } = await runOnDatabase('keys rotate', given);
  return [...lines, text].join('\n');
}

test('the command reports a key as new if it has never been the first key', async () => {
  const vault = vaultOf({ three, four: randomBytes(32) });
  const { text, data } = await rotateKeys(database.db, vault, () => undefined);
  expect(data).toMatchObject({ other_keys: [{ id: 'four', status: 'new', sealed: 0 }] });
  expect(text).toContain(
    'four  new. Move it to the front, restart every process, and run the command again.',
  );
});

test('the command seals with the first key, and names unused and used keys', async () => {
  const { db } = database;
  const projectId = await addProject(db);
  // The keys have started programs.
  await checkVault(db, vaultOf({ one }));
  await checkVault(db, vaultOf({ two }));
  await addGrant(db, { projectId }, vaultOf({ one }));
  await addGrant(db, { projectId }, vaultOf({ two }));
  const text = (key: Buffer) => key.toString('base64');
  const keys = `three:${text(three)},two:${text(two)},one:${text(one)}`;
  expect((await run({ FANFARE_VAULT_KEYS: keys })).split('\n')).toEqual([
    'grants.credentials: 2',
    'Sealed 2 values with the key three.',
    'one  unused. You can remove it from FANFARE_VAULT_KEYS.',
    'two  unused. You can remove it from FANFARE_VAULT_KEYS.',
  ]);
  // A process that still has the old keys writes after its row was rotated.
  const lines: string[] = [];
  const late = await addGrant(db, { projectId }, vaultOf({ two }));
  const credentials = Buffer.from('damaged');
  await db.updateTable('grants').set({ credentials }).where('id', '=', late).execute();
  const report = await rotateKeys(db, vaultOf({ three, two }), (line) => lines.push(line));
  expect(lines).toEqual(['grants.credentials: 0']);
  expect(report.text.split('\n')).toEqual([
    'Sealed 0 values with the key three.',
    "The vault can't open 1 of the other values.",
    'two  still seals 1 value. Keep it, and run the command again.',
  ]);
});

test('the command creates no key if it is given no key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-keys-'));
  try {
    await expect(run({ FANFARE_DATA_DIR: folder })).rejects.toThrow(
      'This command needs FANFARE_VAULT_KEYS.',
    );
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
