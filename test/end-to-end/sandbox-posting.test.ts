// Posts to the sandbox through the whole of Fanfare: threads with media, and what it says of its limits.
import { describe, expect, test } from 'vitest';
import type { SandboxPostRow } from '../../schema/database/tables.ts';
import { useApp } from '../support/app/app.ts';
import { uploadPicture } from '../support/media/uploads.ts';

const app = useApp();

function findPosted(id: string | null): Promise<SandboxPostRow> {
  return app.database.db
    .selectFrom('sandbox_posts')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

describe('a post to the sandbox', () => {
  test('becomes one thread if it has parts, media and a comment', async () => {
    const { id: account_id } = await app.tenant.connectSandbox('ada');
    const media_ids = [await uploadPicture(app.api), await uploadPicture(app.api)];
    const { id } = await app.tenant.createPost({
      platform_posts: [
        { account_id, thread_position: 0, caption: 'first', media_ids },
        { account_id, thread_position: 1, caption: 'second', first_comment: 'comment' },
      ],
    });
    const [first, second] = (await app.tenant.waitForPost(id)).results;
    const { reply_to, media } = await findPosted(first!.external_id);
    expect([reply_to, media.length]).toEqual([null, 2]);
    expect(await findPosted(second!.external_id)).toMatchObject({
      caption: 'second',
      reply_to: first!.external_id,
      media: [],
    });
    expect(await findPosted(second!.first_comment!.external_id)).toMatchObject({
      caption: 'comment',
      reply_to: second!.external_id,
    });
  });

  test('is refused if it replies to an unknown post', async () => {
    const { id: account_id } = await app.tenant.connectSandbox('bob');
    const { id } = await app.tenant.createPost({
      platform_posts: [{ account_id, caption: 'lonely', in_reply_to: 'nowhere' }],
    });
    expect((await app.tenant.waitForPost(id)).results[0]).toMatchObject({
      error_code: 'rejected',
      platform_error_code: 'reply_to_not_found',
    });
  });

  test('waits as long as the answer to the previous post requested', async () => {
    const { id: account_id } = await app.tenant.connectSandbox('carol');
    const publish = async (platform_options: object) => {
      const target = { account_id, caption: 'hello', platform_options };
      const { id } = await app.tenant.createPost({ platform_posts: [target] });
      return (await app.tenant.waitForPost(id)).results[0]!;
    };
    const first = await publish({ throttle_s: 1 });
    const second = await publish({});
    expect(second.status).toBe('published');
    const apartMs = Date.parse(second.published_at!) - Date.parse(first.published_at!);
    expect(apartMs).toBeGreaterThanOrEqual(950);
  });
});
