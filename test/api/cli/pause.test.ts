// The operator's commands, as they are typed: what they take, say and refuse, and the code they end with.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pause, showPauses } from '../../../api/cli/pause.ts';
import { resume } from '../../../api/cli/resume.ts';
import { checkScope } from '../../../api/cli/scope.ts';
import { deletePause, listPauses } from '../../../schema/database/dispatch/pauses.ts';
import { platformNames } from '../../../schema/platforms/index.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { startProgram } from '../../support/app/program.ts';
import { addProject } from '../../support/rows/rows.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const { scope } of await listPauses(database.db)) await deletePause(database.db, scope);
});
afterAll(() => database.drop());

async function run(...command: string[]): Promise<{ code: number | null; output: string }> {
  await using program = startProgram({
    command,
    env: {
      DATABASE_URL: database.url,
      FANFARE_VAULT_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    },
  });
  const { code } = await program.exit;
  return { code, output: program.output().trim() };
}

const allowed = `Give \`deliveries\`, a network (${platformNames.join(', ')}) or the id of a project.`;

describe('node api/cli.ts', () => {
  test('pauses a scope and lets it go on', async () => {
    const projectId = await addProject(database.db);
    expect(await run('pause', projectId)).toEqual({ code: 0, output: `Paused ${projectId}.` });
    expect(await listPauses(database.db)).toMatchObject([{ scope: projectId }]);
    expect(await run('resume', projectId)).toEqual({ code: 0, output: `Resumed ${projectId}.` });
    expect(await listPauses(database.db)).toEqual([]);
  }, 60_000);

  test('ends with 2 at what it can not take, and says what it takes', async () => {
    const answers = await Promise.all([run('pause', 'instgram'), run('stuck', '--minutes', 'ten')]);
    expect(answers).toEqual([
      { code: 2, output: `Nothing has the name or id instgram. ${allowed}` },
      { code: 2, output: '--minutes takes a whole number from 1 to 525600.' },
    ]);
    expect(await listPauses(database.db)).toEqual([]);
  }, 60_000);
});

describe('checkScope', () => {
  test('takes deliveries, every network and a project that is there', async () => {
    const { db } = database;
    for (const scope of ['deliveries', 'sandbox', 'bluesky', await addProject(db)]) {
      await expect(checkScope(db, scope)).resolves.toBeUndefined();
    }
    for (const scope of ['', 'Sandbox', 'twitter', newId('project'), "prj_1' or true"]) {
      await expect(checkScope(db, scope)).rejects.toThrow(allowed);
    }
  });
});

describe('pause and resume', () => {
  test('say what was done, or that it was so already', async () => {
    const { db } = database;
    expect(await pause(db, 'sandbox')).toBe('Paused sandbox.');
    expect(await pause(db, 'sandbox')).toBe('sandbox was paused already.');
    expect(await showPauses(db)).toMatch(/^sandbox  since 20[-\d]+T[:.\d]+Z$/);
    expect(await resume(db, 'sandbox')).toBe('Resumed sandbox.');
    expect(await resume(db, 'sandbox')).toBe('sandbox was not paused.');
    expect(await showPauses(db)).toBe('Nothing is paused.');
  });

  test('one scope leaves another alone', async () => {
    const { db } = database;
    await pause(db, 'sandbox');
    await pause(db, 'deliveries');
    expect(await resume(db, 'bluesky')).toBe('bluesky was not paused.');
    expect(await resume(db, 'sandbox')).toBe('Resumed sandbox.');
    expect((await listPauses(db)).map(({ scope }) => scope)).toEqual(['deliveries']);
  });

  test('a pause ends though its project is gone', async () => {
    const { db } = database;
    const projectId = await addProject(db);
    await pause(db, projectId);
    await db.deleteFrom('projects').where('id', '=', projectId).execute();
    expect(await resume(db, projectId)).toBe(`Resumed ${projectId}.`);
  });
});
