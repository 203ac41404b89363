// The operator pauses a project: its posts are accepted and wait, and each is published once.
import { afterEach, describe, expect, test } from 'vitest';
import { pause, resume } from '../../../api/cli/pause.ts';
import type { Post } from '../../../schema/posts/posts.ts';
import { useApp } from '../../support/app/app.ts';
import {
  createPost,
  findPublished,
  idsOf,
  effectiveMs,
  readPost,
  resumeAll,
  waitUntilHeld,
} from '../../support/app/paused-posts.ts';

const app = useApp();
afterEach(() => resumeAll(app));

async function countRuns({ id }: Post): Promise<number> {
  const { current_run } = await app.context.db
    .selectFrom('posts')
    .select('current_run')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return current_run;
}

/** Publishes a post of another project. What was ahead of it at the workers has been done by then. */
async function publishAnother(): Promise<void> {
  const tenant = await app.createTenant();
  const { status } = await tenant.waitForPost((await createPost(tenant)).id);
  expect(status).toBe('published');
}

describe('while a project is paused', () => {
  test('its posts wait, the posts of other projects are published, and each post is published once after the resume', async () => {
    const [held, other] = [await app.createTenant(), await app.createTenant()];
    await pause(app.context.db, held.projectId);
    const waiting = await createPost(held);
    const passing = await other.waitForPost((await createPost(other)).id);
    expect(passing.status).toBe('published');
    await waitUntilHeld(app, waiting);
    await publishAnother();
    expect(await countRuns(waiting)).toBe(1);
    expect(await readPost(held, waiting)).toMatchObject({ status: 'pending' });
    expect(await findPublished(app, waiting)).toEqual([]);

    expect((await resume(app.context, held.projectId)).text).toBe(
      `Resumed ${held.projectId}. Restarted 1 post.`,
    );
    const published = await held.waitForPost(waiting.id, { timeoutMs: effectiveMs });
    expect(published.status).toBe('published');
    await publishAnother();
    expect(await findPublished(app, waiting)).toEqual(idsOf(waiting));
    expect(await countRuns(waiting)).toBe(2);
    expect(await countRuns(passing)).toBe(1);
  });

  test('posts to a network that is also paused wait for both resumes', async () => {
    const { db } = app.context;
    const tenant = await app.createTenant();
    await pause(db, 'sandbox');
    await pause(db, tenant.projectId);
    const post = await createPost(tenant);
    await waitUntilHeld(app, post);
    expect((await resume(app.context, 'sandbox')).text).toBe('Resumed sandbox.');
    await publishAnother();
    expect(await countRuns(post)).toBe(1);
    expect(await findPublished(app, post)).toEqual([]);
    await resume(app.context, tenant.projectId);
    await tenant.waitForPost(post.id, { timeoutMs: effectiveMs });
    expect(await findPublished(app, post)).toEqual(idsOf(post));
  });
});
