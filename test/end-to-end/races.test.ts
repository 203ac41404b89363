// Simultaneous requests for one post while a worker publishes: exactly one of them succeeds.
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Account } from '../../schema/accounts.ts';
import type { Post } from '../../schema/posts/posts.ts';
import type { ApiAnswer } from '../support/app/api.ts';
import { useApp } from '../support/app/app.ts';
import { elapse } from '../support/elapse.ts';

let accounts: Account[];

const app = useApp();
beforeAll(async () => {
  accounts = await Promise.all(['ada', 'bob'].map((handle) => app.tenant.connectSandbox(handle)));
});

const times = 6;
const repeats = Array.from({ length: times }, (_, i) => i);
/** So that the requests meet each post at another of its steps. */
const offset = (ms: number) => elapse(ms, 'requests come at other moments of each post');
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

function create(post: Record<string, unknown> = {}): Promise<Post> {
  return app.tenant.createPost({
    caption: 'hello',
    account_ids: accounts.map(({ id }) => id),
    ...post,
  });
}

const ask = (id: string, path: string) => app.api.post(`/v1/posts/${id}/${path}`);
const change = (id: string, body: object) => app.api.patch(`/v1/posts/${id}`, body);
const statusesOf = (answers: ApiAnswer[]) => answers.map(({ status }) => status);

/** How often each target of the post is on the network. */
async function countPublic({ results }: Post): Promise<number[]> {
  const rows = await app.database.db
    .selectFrom('sandbox_posts')
    .select('reference')
    .where(
      'reference',
      'in',
      results.map(({ id }) => id),
    )
    .execute();
  return results.map(({ id }) => rows.filter(({ reference }) => reference === id).length);
}

function listEvents(postId: string) {
  return app.database.db
    .selectFrom('events')
    .select('kind')
    .where('post_id', '=', postId)
    .execute();
}

/** No workflow that was asked for is still to come. */
async function waitForWorkflows(): Promise<void> {
  const countBoth = async () => {
    const waiting = await app.database.db
      .selectFrom('outbox')
      .select('id')
      .where('is_early', '=', false)
      .execute();
    const { count } = await app.namespace.client.workflow.count("ExecutionStatus = 'Running'");
    return { waiting: waiting.length, running: count };
  };
  await expect.poll(countBoth, { timeout: 15_000 }).toEqual({ waiting: 0, running: 0 });
}

/** The post has ended, and what is public of it is what its results say. */
async function expectTruth(id: string): Promise<Post> {
  const post = await app.tenant.waitForPost(id);
  expect(await countPublic(post)).toEqual(
    post.results.map(({ status }) => (status === 'published' ? 1 : 0)),
  );
  expect(await listEvents(id)).toEqual(
    post.status === 'canceled' ? [] : [{ kind: `post.${post.status}` }],
  );
  return post;
}

describe('the same moment', () => {
  test('two requests to publish a draft: one is accepted, and the post is public once', async () => {
    await Promise.all(
      repeats.map(async () => {
        const { id } = await create({ status: 'draft' });
        const answers = await Promise.all([ask(id, 'publish'), ask(id, 'publish')]);
        expect(statusesOf(answers).toSorted((a, b) => a - b)).toEqual([202, 409]);
        expect((await expectTruth(id)).status).toBe('published');
      }),
    );
  });

  test('publish and cancel: a canceled post is never public', async () => {
    const ended = await Promise.all(
      repeats.map(async (i) => {
        const { id } = await create({ status: 'draft' });
        const paths = i % 2 ? ['publish', 'cancel'] : ['cancel', 'publish'];
        await Promise.all(paths.map((path) => ask(id, path)));
        return id;
      }),
    );
    await waitForWorkflows();
    for (const id of ended) await expectTruth(id);
  });

  test('cancel against the start of targets: each target is public or canceled, and never both', async () => {
    const ended = await Promise.all(
      repeats.map(async (i) => {
        const { id } = await create();
        await offset(i * 16);
        const { status } = await ask(id, 'cancel');
        expect([200, 409]).toContain(status);
        return id;
      }),
    );
    await waitForWorkflows();
    for (const id of ended) await expectTruth(id);
  });

  test('publish against a reschedule: only one run publishes', async () => {
    await Promise.all(
      repeats.map(async () => {
        const { id } = await create({ scheduled_at: inMs(3_600_000) });
        const answers = await Promise.all([
          ask(id, 'publish'),
          change(id, { scheduled_at: inMs(60_000) }),
          change(id, { caption: 'changed' }),
        ]);
        // The first request wins. The publish never fails, because the others leave the post waiting.
        expect(answers[0].status).toBe(202);
        expect([200, 409]).toContain(answers[1].status);
        const post = await expectTruth(id);
        expect(post).toMatchObject({ status: 'published', scheduled_at: null });
        expect(post.caption).toBe(answers[2].status === 200 ? 'changed' : 'hello');
      }),
    );
  });

  test.concurrent('two reschedules and the due time: the post is published once', async () => {
    const ids = await Promise.all(
      repeats.map(async () => (await create({ scheduled_at: inMs(2_200) })).id),
    );
    await Promise.all(
      ids.map(async (id, i) => {
        await offset(1_900 + i * 100);
        const answers = await Promise.all([
          change(id, { scheduled_at: inMs(4_000) }),
          change(id, { scheduled_at: inMs(3_500) }),
        ]);
        for (const { status } of answers) expect([200, 409]).toContain(status);
        expect((await expectTruth(id)).status).toBe('published');
      }),
    );
  });

  test.concurrent('a retry while another target is sent: each target is public once', async () => {
    const [first, second] = accounts.map(({ id }) => id);
    const post = await create({
      account_ids: undefined,
      platform_posts: [
        { account_id: first, platform_options: { outcome: 'rejected', times: 1 } },
        { account_id: second, platform_options: { delay_ms: 1_500 } },
      ],
    });
    const statuses = async () => {
      const { body } = await app.api.get(`/v1/posts/${post.id}`);
      return body.data.results.map(({ status }: { status: string }) => status);
    };
    await vi.waitFor(async () => expect(await statuses()).toEqual(['failed', 'publishing']), {
      timeout: 10_000,
    });
    expect((await ask(post.id, `results/${post.results[0]!.id}/retry`)).status).toBe(202);
    expect((await expectTruth(post.id)).status).toBe('published');
  });

  test('two retries of a failed target: one is accepted, and the other targets are not sent again', async () => {
    await Promise.all(
      repeats.map(async () => {
        const [first, second] = accounts.map(({ id }) => id);
        const { id } = await create({
          account_ids: undefined,
          platform_posts: [
            { account_id: first },
            { account_id: second, platform_options: { outcome: 'rejected', times: 1 } },
          ],
        });
        const failed = await app.tenant.waitForPost(id);
        const path = `results/${failed.results[1]!.id}/retry`;
        const answers = await Promise.all([ask(id, path), ask(id, path)]);
        expect(statusesOf(answers).toSorted((a, b) => a - b)).toEqual([202, 409]);
        const post = await app.tenant.waitForPost(id);
        expect(post.status).toBe('published');
        expect(await countPublic(post)).toEqual([1, 1]);
        const kinds = (await listEvents(id)).map(({ kind }) => kind);
        expect(kinds.toSorted((a, b) => a.localeCompare(b))).toEqual([
          'post.partial',
          'post.published',
        ]);
      }),
    );
  });

  test('delete against publish: nothing of a deleted post is public', async () => {
    await Promise.all(
      repeats.map(async (i) => {
        const post = await create({ status: 'draft' });
        const remove = () => app.api.delete(`/v1/posts/${post.id}`);
        const publish = () => ask(post.id, 'publish');
        const [deleted, published] =
          i % 2
            ? await Promise.all([remove(), publish()])
            : (await Promise.all([publish(), remove()])).toReversed();
        if (deleted!.status === 204) {
          expect(published!.status).toBe(404);
          expect(await countPublic(post)).toEqual([0, 0]);
        } else {
          expect(statusesOf([deleted!, published!])).toEqual([409, 202]);
          expect((await expectTruth(post.id)).status).toBe('published');
        }
      }),
    );
  });
});
