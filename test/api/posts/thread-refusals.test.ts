// Invalid threads and replies are refused with the exact path of each issue, and nothing is written.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  createRefusedClient,
  refuseAll,
  single,
  type RefusedClient,
} from '../../support/checks/refusals.ts';

let client: RefusedClient;

beforeAll(async () => {
  client = await createRefusedClient();
});
afterAll(() => client[Symbol.asyncDispose]());
afterEach(() => client.expectNothingWritten());

describe('threads', () => {
  refuseAll(
    () => client,
    [
      [
        'an account twice without positions',
        () => client.thread({}, {}),
        ['platform_posts[1].account_id', 'duplicate_account'],
      ],
      [
        'a thread that begins at 2',
        () => client.thread({ thread_position: 2 }, { thread_position: 3 }),
        ['platform_posts[0].thread_position', 'thread_has_hole'],
      ],
      [
        'a hole',
        () => client.thread({ thread_position: 0 }, { thread_position: 1 }, { thread_position: 3 }),
        ['platform_posts[2].thread_position', 'thread_has_hole'],
      ],
      [
        'a hole, in whatever order the parts come',
        () => client.thread({ thread_position: 4 }, { thread_position: 1 }, { thread_position: 2 }),
        ['platform_posts[0].thread_position', 'thread_has_hole'],
      ],
      [
        'a position twice',
        () => client.thread({ thread_position: 1 }, { thread_position: 2 }, { thread_position: 1 }),
        ['platform_posts[2].thread_position', 'thread_position_repeated'],
      ],
      [
        'a part without a position',
        () => client.thread({ thread_position: 0 }, {}, { thread_position: 1 }),
        ['platform_posts[1].thread_position', 'thread_position_missing'],
      ],
      [
        'a hole in the thread of one account beside that of another',
        () => ({
          platform_posts: [
            { account_id: client.other, thread_position: 0 },
            { account_id: client.bluesky, thread_position: 0 },
            { account_id: client.bluesky, thread_position: 2 },
            { account_id: client.other, thread_position: 1 },
          ],
        }),
        ['platform_posts[2].thread_position', 'thread_has_hole'],
      ],
      [
        'a position that is no whole number',
        () => client.thread({ thread_position: 0.5 }),
        ['platform_posts[0].thread_position', 'invalid_type'],
      ],
      [
        'a position below 0',
        () => client.thread({ thread_position: -1 }),
        ['platform_posts[0].thread_position', 'too_small'],
      ],
      [
        'a thread where posts have no answers',
        () => single(client.mute, { thread_position: 0 }),
        ['platform_posts[0].thread_position', 'replies_not_supported'],
      ],
    ],
  );
});

describe('replies', () => {
  test("are refused for an account that can't reply, as a limit of that account", async () => {
    const [issue] = await client.issuesOf(single(client.mute, { in_reply_to: '17' }));
    expect(issue!.message).toMatch(
      /^This account can't reply on \w+, so it takes no `in_reply_to`/,
    );
  });

  refuseAll(
    () => client,
    [
      [
        'an answer to another post in the middle of a thread',
        () =>
          client.thread(
            { thread_position: 1, in_reply_to: 'at://did:plc:a/app.bsky.feed.post/1' },
            { thread_position: 2, in_reply_to: 'at://did:plc:a/app.bsky.feed.post/2' },
          ),
        ['platform_posts[1].in_reply_to', 'not_first_of_thread'],
      ],
      [
        'an answer where posts have none',
        () => single(client.mute, { in_reply_to: '17' }),
        ['platform_posts[0].in_reply_to', 'replies_not_supported'],
      ],
      [
        'an empty id',
        () => single(client.bluesky, { in_reply_to: '' }),
        ['platform_posts[0].in_reply_to', 'too_small'],
      ],
      [
        'a first comment where posts have no answers',
        () => single(client.mute, { first_comment: 'hi' }),
        ['platform_posts[0].first_comment', 'replies_not_supported'],
      ],
      [
        'an empty first comment',
        () => single(client.bluesky, { first_comment: '' }),
        ['platform_posts[0].first_comment', 'too_small'],
      ],
      [
        'a first comment of nothing but space',
        () => single(client.bluesky, { first_comment: ' \n' }),
        ['platform_posts[0].first_comment', 'comment_required'],
      ],
      [
        'a first comment that is longer than any may be',
        () => single(client.bluesky, { first_comment: 'x'.repeat(1_001) }),
        ['platform_posts[0].first_comment', 'too_big'],
      ],
      [
        'a first comment that is too long for the network',
        () => single(client.bluesky, { first_comment: 'x'.repeat(301) }),
        ['platform_posts[0].first_comment', 'comment_too_long'],
      ],
    ],
  );

  test('a post ID of a wrong form is refused with an example of the right form', async () => {
    const [issue] = await client.issuesOf(
      single(client.bluesky, { in_reply_to: 'https://bsky.app/post/1' }),
    );
    expect(issue).toMatchObject({
      path: 'platform_posts[0].in_reply_to',
      code: 'invalid_post_id',
      actual: 'https://bsky.app/post/1',
    });
    expect(issue!.message).toContain('at://did:plc:');
  });
});
