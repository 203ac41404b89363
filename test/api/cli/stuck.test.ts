// The command stuck: posts and deliveries, since when, and the pauses that hold them.
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pause } from '../../../api/cli/pause.ts';
import { InvalidArgument } from '../../../api/cli/output/invalid-argument.ts';
import { readMinutes, showStuck } from '../../../api/cli/stuck.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { addDeliveries } from '../../support/receivers/delivery-rows.ts';
import { startProgram } from '../../support/app/program.ts';
import { addBatch, addPost, addProject, addWebhook } from '../../support/rows/rows.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** A post that was due that long ago. */
async function addLatePost(minutes: number, scheduledAt: Date | null = null) {
  const post = await addPost(database.db, { scheduledAt });
  const { project_id } = await database.db
    .updateTable('posts')
    .set({ run_due_at: minutesAgo(minutes) })
    .where('id', '=', post.postId)
    .returning('project_id')
    .executeTakeFirstOrThrow();
  return { ...post, projectId: project_id };
}

async function setDue(deliveryIds: string[], minutes: number): Promise<string> {
  const at = minutesAgo(minutes);
  await database.db
    .updateTable('deliveries')
    .set({ next_attempt_at: at })
    .where('id', 'in', deliveryIds)
    .execute();
  return at.toISOString();
}

const lines = async (minutes?: string) =>
  (await showStuck(database.db, readMinutes(minutes))).text.split('\n');

describe('showStuck', () => {
  test('shows late posts with their targets, the oldest first', async () => {
    const newer = await addLatePost(20);
    const older = await addLatePost(30);
    await addLatePost(10);
    const shown = await lines();
    expect(shown).toEqual([
      expect.stringMatching(
        `^${older.postId}  ${older.projectId}  since .*Z  pending  not paused  ${older.workflowId}$`,
      ),
      expect.stringMatching(/^ {2}res_.* waits for start {2}no next attempt {2}0 attempts$/),
      expect.stringMatching(`^${newer.postId} .* ${newer.workflowId}$`),
      expect.stringMatching(/^ {2}res_/),
    ]);
    expect(await lines('25')).toHaveLength(2);
    expect(await lines('31')).toEqual(['Nothing is stuck.']);
  });

  test('shows a scheduled post that nothing has started', async () => {
    const { postId } = await addLatePost(20, minutesAgo(20));
    expect(await lines()).toEqual([
      expect.stringMatching(`^${postId} .*  scheduled  not paused  `),
      expect.stringMatching(/ {2}waits for start {2}/),
    ]);
  });

  test('shows what a target waits for, until when, and its last error on one line', async () => {
    const { db } = database;
    const post = await addLatePost(20);
    const next = new Date(Date.now() + 60_000);
    const { id } = await db
      .updateTable('post_results')
      .set({ next_attempt_at: next, phase: 'commit', clock: '{"unavailable":1}', attempts: 1 })
      .where('post_id', '=', post.postId)
      .returning('id')
      .executeTakeFirstOrThrow();
    const calls = [
      {
        number: 1,
        outcome: 'unavailable',
        error_code: '503',
        error_message: 'Try\n\u001b[31mlater',
      },
      { number: 2, outcome: 'begun', error_code: null, error_message: null },
    ] as const;
    for (const call of calls) {
      const attempt = {
        ...call,
        result_id: id,
        run: 1,
        phase: 'commit',
        started_at: next,
      } as const;
      await db.insertInto('post_attempts').values(attempt).execute();
    }
    expect((await lines())[1]).toBe(
      `  ${id}  sandbox  waits for network  next attempt ${next.toISOString()}  1 attempt  last error unavailable: 503: Try [31mlater`,
    );
  });

  test('shows overdue deliveries with their workflows', async () => {
    const { db } = database;
    const projectId = await addProject(db);
    await addWebhook(db, projectId);
    const { workflow_id } = await addBatch(db, projectId);
    const { id: carried } = await db
      .selectFrom('deliveries')
      .select('id')
      .executeTakeFirstOrThrow();
    const [unclaimed, recent] = await addDeliveries(db, projectId, 2);
    const since = [await setDue([carried], 20), await setDue([unclaimed!], 16)];
    await setDue([recent!], 14);
    expect(await lines()).toEqual([
      `${carried}  ${projectId}  since ${since[0]}  pending  not paused  ${workflow_id}`,
      `${unclaimed}  ${projectId}  since ${since[1]}  pending  not paused  no workflow`,
    ]);
  });

  test('shows the pauses that hold the posts and the deliveries', async () => {
    const { db } = database;
    const post = await addLatePost(20);
    const other = await addLatePost(20);
    await addWebhook(db, post.projectId);
    await setDue(await addDeliveries(db, post.projectId, 1), 20);
    for (const scope of ['bluesky', 'sandbox', post.projectId]) await pause(db, scope);
    const shown = await lines();
    const lineOf = (id: string) => shown.find((line) => line.startsWith(id));
    expect(lineOf(post.postId)).toContain(`  paused by ${post.projectId}, sandbox  `);
    expect(lineOf(other.postId)).toContain('  paused by sandbox  ');
    expect(lineOf('dlv_')).toContain('  not paused  ');
    await pause(db, 'deliveries');
    expect((await lines()).at(-1)).toContain('  paused by deliveries  ');
  });

  test('shows a hundred of each and the number of the rest', async () => {
    const { db } = database;
    const projectId = await addProject(db);
    await addWebhook(db, projectId);
    await setDue(await addDeliveries(db, projectId, 1), 20);
    await sql`insert into deliveries (id, project_id, webhook_id, event_id, event, status, trigger, next_attempt_at)
      select 'dlv_' || i, project_id, webhook_id, 'evt_' || i, event, status, trigger, next_attempt_at
      from deliveries, generate_series(1, 102) i`.execute(db);
    const shown = await lines();
    expect(shown).toHaveLength(101);
    expect(shown.at(-1)).toBe('… and 3 more deliveries.');
  });
});

const refusal = '--minutes must be a whole number from 1 to 525600.';

describe('readMinutes', () => {
  test.each(['-1', '-1.5', '0', '1.5', 'ten', '', '525601'])('refuses %j', (given) => {
    expect(() => readMinutes(given)).toThrow(new InvalidArgument(refusal));
  });
});

test('node api/cli.ts stuck refuses a negative number, and says what is valid', async () => {
  await using program = startProgram({ command: ['stuck', '--minutes', '-1.5'] });
  expect(await program.exit).toMatchObject({ code: 2 });
  expect(program.output()).toBe(`${refusal}\n`);
});
