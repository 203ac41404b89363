// The commands pause, resume and pauses: arguments, output and exit codes.
import { afterEach, describe, expect, test } from 'vitest';
import { checkScope, pause, resume, showPauses } from '../../../api/cli/pause.ts';
import { deletePause, listPauses } from '../../../schema/database/pauses.ts';
import { platformNames } from '../../../schema/platforms/index.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { startProgram } from '../../support/app/program.ts';
import { addProject } from '../../support/rows/rows.ts';
import { quietNotifier } from '../../support/rows/quiet-transaction.ts';

const database = useDatabase();
afterEach(async () => {
  for (const { scope } of await listPauses(database.db)) await deletePause(database.db, scope);
});

async function run(...command: string[]): Promise<{ code: number | null; output: string }> {
  // It opens no secrets, and so needs no FANFARE_VAULT_KEYS.
  await using program = startProgram({ command, env: { DATABASE_URL: database.url } });
  const { code } = await program.exit;
  return { code, output: program.output().trim() };
}

const allowed = `SCOPE is \`deliveries\`, a network (${platformNames.join(', ')}) or the ID of a project.`;

describe('node api/cli.ts', () => {
  test('pauses and resumes a scope', async () => {
    const projectId = await addProject(database.db);
    expect(await run('pause', projectId)).toEqual({ code: 0, output: `Paused ${projectId}.` });
    expect(await listPauses(database.db)).toMatchObject([{ scope: projectId }]);
    expect(await run('resume', projectId)).toEqual({ code: 0, output: `Resumed ${projectId}.` });
    expect(await listPauses(database.db)).toEqual([]);
  }, 60_000);

  test('exits with 2 on an invalid argument and says what is valid', async () => {
    const expected = { code: 2, output: `Unknown scope: instgram. ${allowed}` };
    expect(await run('pause', 'instgram')).toEqual(expected);
    expect(await listPauses(database.db)).toEqual([]);
  }, 60_000);
});

describe('checkScope', () => {
  test('accepts deliveries, every network and an existing project', async () => {
    const { db } = database;
    for (const scope of ['deliveries', 'sandbox', 'bluesky', await addProject(db)]) {
      await expect(checkScope(db, scope)).resolves.toBeUndefined();
    }
    for (const scope of ['', 'Sandbox', 'nowhere', newId('project'), "prj_1' or true"]) {
      await expect(checkScope(db, scope)).rejects.toThrow(allowed);
    }
  });
});

describe('pause and resume', () => {
  test('report a change, or that nothing changed', async () => {
    const { db } = database;
    expect((await pause(db, 'sandbox')).text).toBe('Paused sandbox.');
    expect((await pause(db, 'sandbox')).text).toBe('sandbox is already paused.');
    expect((await showPauses(db)).text).toMatch(/^SCOPE +SINCE\nsandbox  20[-\d]+T[:.\d]+Z$/);
    expect((await resume({ db, notifier: quietNotifier }, 'sandbox')).text).toBe(
      'Resumed sandbox.',
    );
    expect((await resume({ db, notifier: quietNotifier }, 'sandbox')).text).toBe(
      'sandbox is not paused.',
    );
    expect((await showPauses(db)).text).toBe('Nothing is paused.');
  });

  test('change only the given scope', async () => {
    const { db } = database;
    await pause(db, 'sandbox');
    await pause(db, 'deliveries');
    expect((await resume({ db, notifier: quietNotifier }, 'bluesky')).text).toBe(
      'bluesky is not paused.',
    );
    expect((await resume({ db, notifier: quietNotifier }, 'sandbox')).text).toBe(
      'Resumed sandbox.',
    );
    expect((await listPauses(db)).map(({ scope }) => scope)).toEqual(['deliveries']);
  });

  test('end a pause of a deleted project', async () => {
    const { db } = database;
    const projectId = await addProject(db);
    await pause(db, projectId);
    await db.deleteFrom('projects').where('id', '=', projectId).execute();
    expect((await resume({ db, notifier: quietNotifier }, projectId)).text).toBe(
      `Resumed ${projectId}.`,
    );
  });
});
