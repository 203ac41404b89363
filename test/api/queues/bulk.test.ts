// Several posts of one request that take slots of a queue, also as rows of a CSV file.
import { describe, expect, test } from 'vitest';
import type { CreatedPost } from '../../../schema/posts/bulk.ts';
import { useRest } from '../../support/app/rest.ts';
import { usePlanner } from '../../support/queues/planner.ts';

const rest = useRest();
const planner = usePlanner(rest);

async function send(rows: readonly string[], query = ''): Promise<CreatedPost[]> {
  const { body } = await rest.call('POST', `/v1/posts/bulk${query}`, {
    key: planner.key,
    raw: ['caption,queue_id,queue_position', ...rows].join('\n'),
    headers: { 'Content-Type': 'text/csv' },
  });
  return body.data as CreatedPost[];
}

describe('rows of a CSV file', () => {
  test('take slots of a queue in their order', async () => {
    const { id } = planner.queue;
    const slots = await planner.slots(3);
    const made = await send([`one,${id},`, `two,${id},last`, `three,${id},first`, 'four,que_no,']);
    expect(made).toMatchObject([
      { status: 201, post: { scheduled_at: slots[0]!.at } },
      { status: 201, post: { scheduled_at: slots[1]!.at } },
      { status: 201, post: { scheduled_at: slots[0]!.at } },
      { status: 422, error: { issues: [{ path: 'rows[5].queue_id', code: 'unknown_queue' }] } },
    ]);
    const taken = (await planner.slots(4)).map(({ post_id }) => post_id);
    expect(taken).toEqual([made[2]!.post!.id, made[0]!.post!.id, made[1]!.post!.id, null]);
  });

  test('take none in a dry run, which answers like the creation', async () => {
    const { id, account_ids, slots } = planner.queue;
    const other = await planner.createQueue({ name: 'Other', account_ids, slots });
    const warnings = [{ path: 'rows[2].queue_id', code: 'queues_coincide' }];
    expect(await send([`hello,${id},`], '?dry_run=true')).toMatchObject([
      { status: 201, warnings },
    ]);
    expect((await planner.slots(1))[0]!.post_id).toBeNull();
    expect(await send([`hello,${id},`])).toMatchObject([{ status: 201, warnings }]);
    await planner.call('PATCH', `/v1/queues/${other.id}`, { is_paused: true });
    const refused = [{ status: 409, error: { code: 'queue_paused' } }];
    expect(await send([`hello,${other.id},`], '?dry_run=true')).toMatchObject(refused);
    expect(await send([`hello,${other.id},`])).toMatchObject(refused);
  });
});

describe('bulk updates', () => {
  test('move drafts into slots, and a cancellation frees them', async () => {
    const drafts = [
      await planner.create({ status: 'draft' }),
      await planner.create({ status: 'draft' }),
    ];
    const ids = drafts.map(({ id }) => id);
    const posts = ids.map((id) => ({ id, queue_id: planner.queue.id }));
    const slots = await planner.slots(2);
    const { body } = await planner.call('POST', '/v1/posts/bulk/update', { posts });
    expect(body.data).toMatchObject(
      slots.map(({ at }) => ({ status: 200, post: { status: 'scheduled', scheduled_at: at } })),
    );
    await planner.call('POST', '/v1/posts/bulk/cancel', { ids });
    const freed = (await planner.slots(2)).map(({ post_id }) => post_id);
    expect(freed).toEqual([null, null]);
  });
});
