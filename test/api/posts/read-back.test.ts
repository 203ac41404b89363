// A result shows the fields of its target, so that an editor can send them back unchanged.
import { beforeAll, describe, expect, test } from 'vitest';
import type { PlatformPost, Post, PostResult } from '../../../schema/posts/posts.ts';
import { createAuthor, type Author } from '../../support/rows/posts.ts';
import { useRest } from '../../support/app/rest.ts';

let author: Author;
let ada: string;
let bob: string;

const rest = useRest();
beforeAll(async () => {
  author = await createAuthor(rest);
  ada = await rest.insertAccount(author.projectId, { platform: 'sandbox' });
  bob = await rest.insertAccount(author.projectId, { platform: 'sandbox' });
});

/** As an editor sends back what it has read. */
function toTarget(result: PostResult): PlatformPost {
  const { thread_position, in_reply_to, first_comment } = result;
  return {
    account_id: result.social_account_id,
    caption: result.caption,
    media_urls: result.media_urls,
    platform_options: result.platform_options,
    ...(thread_position === null ? {} : { thread_position }),
    ...(in_reply_to === null ? {} : { in_reply_to }),
    ...(first_comment === null ? {} : { first_comment: first_comment.text }),
  };
}

const given = ({ results }: Post) => results.map(toTarget);

describe('the targets of GET /v1/posts/:id', () => {
  test('sent back by PATCH leave the post as it was', async () => {
    const targets: PlatformPost[] = [
      {
        account_id: ada,
        caption: 'one',
        media_urls: ['https://example.com/a.jpg'],
        platform_options: { outcome: 'rejected', times: 2 },
        thread_position: 1,
        in_reply_to: '0mg3k2x1a9f3c2d41e6b5a',
      },
      {
        account_id: ada,
        caption: 'two',
        media_urls: [],
        platform_options: {},
        thread_position: 2,
        first_comment: 'The link',
      },
      { account_id: bob, caption: 'hello', media_urls: [], platform_options: { delay_ms: 5 } },
    ];
    const { id } = await author.create({ status: 'draft', platform_posts: targets });
    const read = await author.read(id);
    expect(given(read)).toEqual(targets);
    const changed = await author.change(id, { platform_posts: given(read) });
    expect(changed.status).toBe(200);
    expect(given(await author.read(id))).toEqual(targets);
  });
});
