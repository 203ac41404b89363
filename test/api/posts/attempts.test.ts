// The attempts of a target: every call to its network.
import { describe, expect, test } from 'vitest';
import type { PostAttempt } from '../../../schema/posts/attempts.ts';
import {
  claim,
  conclude,
  createPartial,
  failTarget,
  publishTarget,
  useAuthor,
} from '../../support/rows/posts.ts';
import { useRest } from '../../support/app/rest.ts';

const rest = useRest();
const author = useAuthor(rest);

describe('GET /v1/posts/:id/results/:result_id/attempts', () => {
  const list = async (id: string, resultId: string, query = '') =>
    rest.call('GET', `/v1/posts/${id}/results/${resultId}/attempts${query}`, { key: author.key });

  test('lists every call of all runs, newest first', async () => {
    const { id, resultIds } = await createPartial(rest, author);
    await author.ask(id, `results/${resultIds[1]}/retry`);
    await claim(rest, id);
    await publishTarget(rest, resultIds[1], { relays: 2 });
    const { status, body } = await list(id, resultIds[1]);
    expect(status).toBe(200);
    const common = { phase: 'commit', provider_error: null, started_at: expect.any(String) };
    expect(body.data).toEqual([
      {
        ...common,
        number: 3,
        run: 2,
        outcome: 'published',
        duration_ms: 5,
        error_code: null,
        error_message: null,
        provider_detail: { relays: 2 },
      },
      {
        ...common,
        number: 1,
        run: 1,
        outcome: 'unavailable',
        duration_ms: 7,
        error_code: 'ECONNREFUSED',
        error_message: 'Connection refused.',
        provider_detail: null,
      },
    ]);
  });

  test('pages by number', async () => {
    const { id, resultIds } = await createPartial(rest, author);
    for (let i = 0; i < 3; i++) {
      await author.ask(id, `results/${resultIds[1]}/retry`);
      await claim(rest, id);
      await failTarget(rest, resultIds[1]);
      await conclude(rest, id);
    }
    const numbers = ({ body }: Awaited<ReturnType<typeof list>>) =>
      body.data.map(({ number }: PostAttempt) => number);
    const first = await list(id, resultIds[1], '?limit=3');
    expect(numbers(first)).toEqual([7, 5, 3]);
    const cursor = first.body.meta.next_cursor;
    expect(numbers(await list(id, resultIds[1], `?limit=3&cursor=${cursor}`))).toEqual([1]);
    const foreign = Buffer.from(id).toString('base64url');
    expect(await list(id, resultIds[1], `?cursor=${foreign}`)).toMatchObject({
      status: 422,
      body: { error: { issues: [{ path: 'cursor', code: 'invalid_cursor' }] } },
    });
  });

  test('is not found for a result of another post', async () => {
    const { id } = await createPartial(rest, author);
    const { resultIds } = await createPartial(rest, author);
    expect((await list(id, resultIds[1])).status).toBe(404);
  });
});
