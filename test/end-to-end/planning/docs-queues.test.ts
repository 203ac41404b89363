// What docs/planning.md says about queues: its requests, run as printed, and its table.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QueuePosition } from '../../../schema/posts/queue-position.ts';
import { createShell, type Shell } from '../../support/app/shell.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { readBlocks, readPage, readTable } from '../../support/checks/readme.ts';

let app: TestApp;
let shell: Shell;

beforeAll(async () => {
  [app, shell] = [await startApp(), await createShell()];
});
afterAll(async () => {
  await app.stop();
  await shell[Symbol.asyncDispose]();
});

const section = readPage('docs/planning.md')
  .split(/^## /m)
  .find((part) => part.startsWith('Queues'))!;
const requests = readBlocks(section).filter(({ language }) => language === 'sh');

test('the requests work as printed, in their order', async () => {
  const ids = new Map<string, string>();
  for (const name of ['ADA', 'BOB']) {
    ids.set(`sa_${name}`, (await app.tenant.connectSandbox(name.toLowerCase())).id);
  }
  const draft = { caption: 'later', account_ids: [ids.get('sa_ADA')!], status: 'draft' };
  ids.set('post_DRAFT', (await app.tenant.createPost(draft)).id);
  const env = { URL: app.url, KEY: app.tenant.key };
  async function run(request: string) {
    const filled = request.replaceAll(/\b[a-z]+_[A-Z]+\b/g, (name) => ids.get(name) ?? name);
    const printed = await shell.run(filled, env);
    return printed === '' ? null : JSON.parse(printed);
  }
  const [create, list, add, schedule, listSlots, change, reschedule, pause, remove, ...others] =
    requests.map(({ text }) => text);
  expect(others).toEqual([]);
  const queue = (await run(create!)).data;
  ids.set('que_MORNINGS', queue.id);
  expect((await run(list!)).data).toEqual([queue]);
  const post = (await run(add!)).data;
  expect(post).toMatchObject({ status: 'scheduled', queue_id: queue.id });
  expect(post.results).toHaveLength(2);
  const first = (await run(schedule!)).data;
  expect(first).toMatchObject({ status: 'scheduled', scheduled_at: post.scheduled_at });
  expect((await run(listSlots!)).data).toHaveLength(4);
  expect((await run(change!)).data.slots).toEqual([{ weekday: 'tue', time: '08:30' }]);
  expect((await run(reschedule!)).data).toEqual({ moved_posts: 2 });
  expect((await run(pause!)).data.is_paused).toBe(true);
  expect(await run(remove!)).toBeNull();
  expect((await app.api.get(`/v1/posts/${post.id}`)).body.data.status).toBe('scheduled');
});

test('the table lists the positions', () => {
  const positions = readTable(section, '`queue_position`').map(([name]) => name);
  expect(new Set(positions)).toEqual(new Set(QueuePosition.options.map((name) => `\`${name}\``)));
});
