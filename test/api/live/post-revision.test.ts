// The revision of a post: it grows with each change that a client sees, so that answers can be ordered.
import { expect, test } from 'vitest';
import { heartbeatsOfTargets } from '../../../schema/database/posts/call-heartbeats.ts';
import {
  begin,
  claim,
  conclude,
  eventsOf,
  failTarget,
  inSeconds,
  publishTarget,
  useAuthor,
} from '../../support/rows/posts.ts';
import { useRest } from '../../support/app/rest.ts';

const rest = useRest();
const author = useAuthor(rest);

test('a revision grows with each step of the post and of its results', async () => {
  const { id, results } = await author.create();
  const [first, second] = results.map((result) => result.id) as [string, string];
  const seen = [await author.read(id)];
  const steps = [
    () => claim(rest, id),
    () => begin(rest, first, 'prepare'),
    () => publishTarget(rest, first),
    () => failTarget(rest, second),
    () => conclude(rest, id),
    () => author.ask(id, `results/${second}/retry`),
    () => claim(rest, id),
    () => publishTarget(rest, second),
    () => conclude(rest, id),
  ];
  for (const step of steps) {
    await step();
    seen.push(await author.read(id));
  }
  const revisions = seen.map(({ revision }) => revision);
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  expect(new Set(revisions).size).toBe(seen.length);
  const times = seen.map(({ updated_at }) => Date.parse(updated_at));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.at(-1)).toBeGreaterThan(times[0]!);
});

test('a revision grows with changes by the client, also when they replace the targets', async () => {
  const { id, results } = await author.create({ scheduled_at: inSeconds(3_600) });
  await begin(rest, results[0]!.id, 'prepare');
  const seen = [await author.read(id)];
  const changes = [
    { caption: 'changed' },
    { account_ids: [author.accounts[2]] },
    { scheduled_at: inSeconds(7_200) },
    { metadata: { a: 'b' } },
    { scheduled_at: null },
  ];
  for (const change of changes) {
    const { body } = await author.change(id, change);
    seen.push(body.data);
    expect(await author.read(id)).toMatchObject({ revision: body.data.revision });
  }
  const canceled = await author.ask(id, 'cancel');
  seen.push(canceled.body.data);
  const revisions = seen.map(({ revision }) => revision);
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  expect(new Set(revisions).size).toBe(seen.length);
});

test('a revision stays the same when nothing that a client sees changes', async () => {
  const { id, results } = await author.create();
  const row = await begin(rest, results[0]!.id);
  const before = await author.read(id);
  await heartbeatsOfTargets(rest.context.db).release([row]);
  expect(await author.read(id)).toEqual(before);
});

test('a revision is in the data of an event, as in the post', async () => {
  const { id, results } = await author.create();
  await claim(rest, id);
  for (const result of results) await publishTarget(rest, result.id);
  await conclude(rest, id);
  const { revision, updated_at } = await author.read(id);
  expect(await eventsOf(rest, id)).toMatchObject([
    { kind: 'post.published', data: { revision, updated_at } },
  ]);
});
