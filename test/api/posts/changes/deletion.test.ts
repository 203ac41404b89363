// Deletions of posts whose targets are removed first, through the whole program, at the sandbox.
import { expect, test, vi } from 'vitest';
import { deletePause, insertPause } from '../../../../schema/database/pauses.ts';
import { useApp } from '../../../support/app/app.ts';

const app = useApp();
const patience = { timeout: 20_000, interval: 50 };

test('a failed target is not retried while the others are removed, because the record goes with them', async () => {
  const [ada, bob] = [
    await app.tenant.connectSandbox('ada'),
    await app.tenant.connectSandbox('bob'),
  ];
  const created = await app.tenant.createPost({
    caption: 'Hello',
    platform_posts: [
      { account_id: ada.id },
      { account_id: bob.id, platform_options: { outcome: 'rejected', times: 1 } },
    ],
  });
  const post = await app.tenant.waitForPost(created.id);
  const failed = post.results.find(({ status }) => status === 'failed')!;
  await insertPause(app.context.db, 'sandbox');
  const deleting = await app.api.delete(`/v1/posts/${post.id}?unpublish=true`);
  expect(deleting.status).toBe(202);
  const retried = await app.api.post(`/v1/posts/${post.id}/results/${failed.id}/retry`);
  await deletePause(app.context.db, 'sandbox');
  expect(retried).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  await vi.waitFor(async () => {
    expect((await app.api.get(`/v1/posts/${post.id}`)).status).toBe(404);
  }, patience);
  const left = await app.context.db
    .selectFrom('sandbox_posts')
    .select('id')
    .where('handle', 'in', ['ada', 'bob'])
    .execute();
  expect(left).toEqual([]);
});
