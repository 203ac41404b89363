// Canceling a post before it starts, and while its targets are being published.
import { describe, expect, test } from 'vitest';
import { setNextPhase } from '../../../schema/database/posts/next-phases.ts';
import { findTarget } from '../../../schema/database/posts/targets.ts';
import type { Post } from '../../../schema/posts/posts.ts';
import {
  begin,
  changesOf,
  claim,
  conclude,
  createStarted,
  eventsOf,
  failTarget,
  inSeconds,
  publishTarget,
  useAuthor,
} from '../../support/rows/posts.ts';
import { useRest } from '../../support/app/rest.ts';
import { quietNotifier } from '../../support/rows/quiet-transaction.ts';

const rest = useRest();
const author = useAuthor(rest);

const cancel = (id: string) => author.ask(id, 'cancel');
const statusesOf = ({ results }: Post) => results.map(({ status }) => status);

describe('POST /v1/posts/:id/cancel before the post starts', () => {
  test.each([
    ['draft', { status: 'draft' }],
    ['scheduled post', { scheduled_at: inSeconds(3_600) }],
    ['post whose workflow has not come yet', {}],
  ])('cancels a %s, without an event', async (_, post) => {
    const { id } = await author.create(post);
    const { status, body } = await cancel(id);
    expect(status).toBe(200);
    expect(body.data.status).toBe('canceled');
    expect(statusesOf(body.data)).toEqual(['canceled', 'canceled']);
    expect(await author.published(author.accounts[0])).toBe(0);
    expect(await claim(rest, id)).toBe(false);
    expect(await eventsOf(rest, id)).toEqual([]);
    expect((await changesOf(rest, id)).filter((kind) => kind === 'canceled')).toHaveLength(1);
  });

  test('answers a repeat with the same Idempotency-Key as the first time', async () => {
    const { id } = await author.create({ status: 'draft' });
    const headers = { 'Idempotency-Key': `cancel-${id}` };
    const first = await author.ask(id, 'cancel', headers);
    const second = await author.ask(id, 'cancel', headers);
    expect(second).toMatchObject({ status: 200, body: { data: first.body.data } });
  });

  test('refuses a post that has ended, and names its status', async () => {
    const { id } = await author.create({ status: 'draft' });
    await cancel(id);
    expect(await cancel(id)).toMatchObject({
      status: 409,
      body: { error: { message: 'The post is canceled: there is nothing left to cancel.' } },
    });
  });
});

describe('POST /v1/posts/:id/cancel while the post is being published', () => {
  test('stops the targets that were not sent, and the others decide the outcome', async () => {
    const { id, resultIds } = await createStarted(rest, author);
    await begin(rest, resultIds[0]);
    const { status, body } = await cancel(id);
    expect(status).toBe(200);
    expect(body.data.status).toBe('pending');
    expect(statusesOf(body.data)).toEqual(['publishing', 'canceled']);
    expect(await author.published(author.accounts[0])).toBe(1);
    expect(await author.published(author.accounts[1])).toBe(0);

    const row = (await findTarget(rest.context.db, resultIds[0]))!;
    const due = { clock: {}, waitMs: null, phase: 'commit' } as const;
    await setNextPhase(rest.context.db, quietNotifier, row, due);
    await publishTarget(rest, resultIds[0]);
    await conclude(rest, id);
    expect(await author.read(id)).toMatchObject({ status: 'published' });
    const events = await eventsOf(rest, id);
    expect(events.map(({ kind }) => kind)).toEqual(['post.published']);
    expect(statusesOf(events[0]!.data)).toEqual(['published', 'canceled']);
  });

  test('ends the run if the sent targets have already ended', async () => {
    const { id, resultIds } = await createStarted(rest, author);
    await publishTarget(rest, resultIds[0]);
    const { body } = await cancel(id);
    expect(body.data.status).toBe('published');
    expect(body.data.published_at).not.toBeNull();
    expect(statusesOf(body.data)).toEqual(['published', 'canceled']);
    await conclude(rest, id);
    expect((await eventsOf(rest, id)).map(({ kind }) => kind)).toEqual(['post.published']);
  });

  test('gives the status failed if every target that was not canceled has failed', async () => {
    const { id, resultIds } = await createStarted(rest, author);
    await failTarget(rest, resultIds[0]);
    expect((await cancel(id)).body.data.status).toBe('failed');
    expect((await eventsOf(rest, id)).map(({ kind }) => kind)).toEqual(['post.failed']);
  });

  test('stops a target during its preparation, which then writes nothing', async () => {
    const { id, resultIds } = await createStarted(rest, author, {
      account_ids: [author.accounts[0]],
    });
    const row = await begin(rest, resultIds[0], 'prepare');
    expect((await cancel(id)).body.data.status).toBe('canceled');
    const next = { phase: 'commit', clock: {}, waitMs: null } as const;
    await setNextPhase(rest.context.db, quietNotifier, row, next);
    expect(statusesOf(await author.read(id))).toEqual(['canceled']);
    await expect(begin(rest, resultIds[0])).rejects.toThrow();
  });

  test('stops a target that waits before its next try', async () => {
    const { id, resultIds } = await createStarted(rest, author, {
      account_ids: [author.accounts[0]],
    });
    const row = await begin(rest, resultIds[0]);
    await setNextPhase(rest.context.db, quietNotifier, row, {
      phase: 'commit',
      clock: {},
      waitMs: 3_600_000,
    });
    const { body } = await cancel(id);
    expect(body.data).toMatchObject({ status: 'canceled', results: [{ next_attempt_at: null }] });
  });

  test('stops the parts of a thread that were not sent, with their comments, and no others', async () => {
    const [account_id] = author.accounts;
    const platform_posts = [
      { account_id, thread_position: 1, first_comment: 'more' },
      { account_id, thread_position: 2, first_comment: 'never' },
    ];
    const { id, resultIds } = await createStarted(rest, author, { platform_posts });
    await publishTarget(rest, resultIds[0]);
    const { body } = await cancel(id);
    expect(body.data).toMatchObject({
      status: 'pending',
      results: [
        { status: 'published', first_comment: { status: 'pending' } },
        { status: 'canceled', first_comment: { status: 'canceled' } },
      ],
    });
    await publishTarget(rest, body.data.results[0].first_comment.id);
    await conclude(rest, id);
    expect(await author.read(id)).toMatchObject({
      status: 'published',
      results: [{ first_comment: { status: 'published' } }, { status: 'canceled' }],
    });
  });

  test.each([
    ['is being sent', (id: string) => begin(rest, id)],
    ['is published', (id: string) => publishTarget(rest, id)],
  ])('comes too late for a target that %s, and for its waiting comment', async (doing, start) => {
    const [account_id] = author.accounts;
    const { id, resultIds } = await createStarted(rest, author, {
      platform_posts: [{ account_id, first_comment: 'more' }],
    });
    await start(resultIds[0]);
    const { status, body } = await cancel(id);
    expect(status).toBe(409);
    expect(body.error.message).toBe(
      `It is too late to cancel the post: ${account_id} (bluesky) ${doing}.`,
    );
    expect((await author.read(id)).results[0]!.first_comment).toMatchObject({ status: 'pending' });
  });

  test.each([
    ['commit', 'is being sent'],
    ['confirm', 'was accepted by the network, which is still processing it'],
    ['reconcile', 'was sent, and Fanfare is checking whether the network has it'],
  ] as const)('is too late for a target in %s, and reports it', async (phase, doing) => {
    const { id, resultIds } = await createStarted(rest, author);
    await begin(rest, resultIds[0], phase);
    await publishTarget(rest, resultIds[1]);
    const { status, body } = await cancel(id);
    const [first, second] = author.accounts;
    expect(status).toBe(409);
    expect(body.error).toMatchObject({ code: 'conflict', post_status: 'pending' });
    expect(body.error.message).toBe(
      `It is too late to cancel the post: ${first} (bluesky) ${doing}, ${second} (bluesky) is published.`,
    );
    expect(statusesOf(await author.read(id))).toEqual(['publishing', 'published']);
  });
});
