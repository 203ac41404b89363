// Deleting the record of a post.
import { describe, expect, test } from 'vitest';
import {
  changesOf,
  claimAs,
  eventsOf,
  inSeconds,
  runOf,
  useAuthor,
} from '../../support/rows/posts.ts';
import { useRest } from '../../support/app/rest.ts';

const rest = useRest({ FANFARE_PREVIEW_EVENTS: 'true' });
const author = useAuthor(rest);

describe('DELETE /v1/posts/:id', () => {
  test.each([
    ['draft', { status: 'draft' }],
    ['scheduled post', { scheduled_at: inSeconds(3_600) }],
  ])('deletes a %s with all that belongs to it', async (_, post) => {
    const { id } = await author.create(post);
    const { current_run, workflow_id } = await runOf(rest, id);
    expect((await author.delete(id)).status).toBe(204);
    expect((await author.delete(id)).status).toBe(404);
    expect(await author.published(author.accounts[0])).toBe(0);
    expect((await changesOf(rest, id)).at(-1)).toBe('deleted');
    expect(await claimAs(rest.context, id, current_run, workflow_id ?? '')).toBe(false);
  });

  test('deletes a post that has ended, and its events stay', async () => {
    const { id } = await author.create({ scheduled_at: inSeconds(3_600) });
    await author.ask(id, 'cancel');
    expect((await author.delete(id)).status).toBe(204);
    expect(await eventsOf(rest, id)).toHaveLength(1);
  });

  test('refuses a post that is being published', async () => {
    const { id } = await author.create();
    expect(await author.delete(id)).toMatchObject({
      status: 409,
      body: {
        error: {
          message: 'The post is being published: cancel it, or wait until it has ended.',
        },
      },
    });
    expect((await author.read(id)).status).toBe('pending');
  });
});
