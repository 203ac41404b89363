// The commands of operators with `--json`: one line of JSON each.
import { describe, expect, test } from 'vitest';
import { runMigrate } from '../../../api/cli/migrate.ts';
import { runOnDatabase } from '../../../api/cli/on-database.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { startProgram } from '../../support/app/program.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addPost } from '../../support/rows/rows.ts';

const database = useDatabase();
const vaultKeys = `k1:${Buffer.alloc(32).toString('base64')}`;

type Command = Parameters<typeof runOnDatabase>[0];
type Values = Partial<Parameters<typeof runOnDatabase>[1]['values']>;

/** Returns what the command prints, read as JSON. */
async function run(command: Command, values: Values = {}, scope = ''): Promise<unknown> {
  const env = { DATABASE_URL: database.url, FANFARE_VAULT_KEYS: vaultKeys };
  const config = readConfig(env, 'operator');
  const given = { values: { test: false, ...values }, scope, config, note: () => undefined };
  const { data } = await runOnDatabase(command, given);
  return JSON.parse(JSON.stringify(data));
}

describe('with --json', () => {
  test('projects and keys', async () => {
    const created = await run('projects create', { name: 'Mine' });
    expect(created).toEqual({ id: expect.any(String), name: 'Mine', key: expect.any(String) });
    const { id: project } = created as { id: string };
    expect(await run('projects list')).toContainEqual(
      expect.objectContaining({ id: project, name: 'Mine' }),
    );
    const renamed = { id: project, name: 'Ours' };
    expect(await run('projects rename', { project, name: 'Ours' })).toEqual(renamed);
    const key = await run('keys create', { project, name: 'k', scopes: 'posts:read' });
    expect(key).toMatchObject({ project_id: project, scopes: ['posts:read'] });
    expect(await run('projects erase', { project, yes: true })).toEqual({ ...renamed, media: 0 });
  });

  test('pauses', async () => {
    expect(await run('pause', {}, 'sandbox')).toEqual({ scope: 'sandbox', was_paused: false });
    expect(await run('pause', {}, 'sandbox')).toEqual({ scope: 'sandbox', was_paused: true });
    expect(await run('pauses')).toEqual([{ scope: 'sandbox', created_at: expect.any(String) }]);
    expect(await run('resume', {}, 'sandbox')).toEqual({
      scope: 'sandbox',
      was_paused: true,
      restarted_posts: 0,
    });
    expect(await run('pauses')).toEqual([]);
  });

  test('apps, vault keys, a restore and the migration', async () => {
    expect(await run('apps')).toEqual([]);
    expect(await run('keys rotate')).toEqual({
      key: 'k1',
      resealed: 0,
      unopened: 0,
      other_keys: [],
    });
    expect(await run('restored')).toEqual({ restarted_posts: 0 });
    const config = readConfig({ DATABASE_URL: database.url }, 'operator');
    expect((await runMigrate(config, () => undefined)).data).toEqual({ migrated: [] });
  });

  test('what is stuck', async () => {
    const nothing = { rows: [], total: 0 };
    expect(await run('stuck')).toEqual({ posts: nothing, deliveries: nothing });
    const { postId } = await addPost(database.db);
    const late = new Date(Date.now() - 3_600_000);
    await database.db.updateTable('posts').set({ run_due_at: late }).execute();
    expect(await run('stuck')).toMatchObject({
      posts: {
        total: 1,
        rows: [{ id: postId, since: late.toISOString(), targets: [{ reason: 'start' }] }],
      },
      deliveries: nothing,
    });
  });
});

test('node api/cli.ts --json prints JSON alone, with the exit code of the command', async () => {
  const env = { DATABASE_URL: database.url };
  await using migrated = startProgram({ command: ['migrate', '--json'], env });
  await using refused = startProgram({ command: ['pause', 'nowhere', '--json'], env });
  expect(await migrated.exit).toMatchObject({ code: 0 });
  expect(JSON.parse(migrated.output())).toEqual({ migrated: [] });
  expect(await refused.exit).toMatchObject({ code: 2 });
  expect(refused.output()).toContain(
    '{"error":{"code":"invalid_argument","message":"Unknown scope: nowhere.',
  );
}, 60_000);
