// The simulated Pinterest takes and gives only what Pinterest's OpenAPI description allows.
import { describe, expect, test } from 'vitest';
import {
  checkAnswer,
  checkRequest,
  findOperation,
} from '../../../support/networks/pinterest/description.ts';
import { refuse } from '../../../support/networks/pinterest/refusals.ts';
import { boardId, createPinterestServer } from '../../../support/networks/pinterest/server.ts';

const origin = 'http://network.test';

/** A simulator, and a login with all scopes. */
function logIn(scope = 'boards:read boards:write pins:read pins:write user_accounts:read') {
  const server = createPinterestServer();
  const { access_token } = server.logins.grants.logIn(scope);
  async function ask(method: string, path: string, json?: unknown) {
    const headers = {
      authorization: `Bearer ${access_token}`,
      ...(json !== undefined && { 'content-type': 'application/json' }),
    };
    const body = json === undefined ? null : JSON.stringify(json);
    const answer = await server.answer(new Request(`${origin}${path}`, { method, headers, body }));
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
  return { server, ask };
}

const png = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
const image = { source_type: 'image_base64', content_type: 'image/png', data: png };
const pin = { board_id: boardId, media_source: image };

describe('a pin', () => {
  test('is taken if it has what the description asks for', async () => {
    expect(await logIn().ask('POST', '/v5/pins', pin)).toMatchObject({ status: 201 });
  });

  test.each<[string, object, string]>([
    ['a member that nobody describes', { ...pin, caption: 'a' }, 'unevaluated'],
    ['a board without a number', { ...pin, board_id: 'brass' }, 'pattern'],
    ['a long title', { ...pin, title: 'a'.repeat(101) }, '100'],
    ['a long description', { ...pin, description: 'a'.repeat(801) }, '800'],
    ['a long link', { ...pin, link: `https://a.example/${'a'.repeat(2_048)}` }, '2048'],
    ['a long alt text', { ...pin, alt_text: 'a'.repeat(501) }, '500'],
    ['no media', { board_id: boardId }, 'media_source'],
    ['a WebP', { ...pin, media_source: { ...image, content_type: 'image/webp' } }, 'allowed'],
    ['no PNG', { ...pin, media_source: { ...image, data: 'AAAA' } }, 'no image/png'],
    [
      'a carousel of one image',
      { ...pin, media_source: { source_type: 'multiple_image_base64', items: [image] } },
      '2 items',
    ],
    [
      'a video that does not exist',
      {
        ...pin,
        media_source: { source_type: 'video_id', media_id: '1', cover_image_key_frame_time: 0 },
      },
      'not ready',
    ],
  ])('is refused with %s', async (_, body, words) => {
    const { server, ask } = logIn();
    const refused = await ask('POST', '/v5/pins', body);
    expect(refused).toMatchObject({ status: 400, body: { code: 1 } });
    expect(refused.body['message']).toContain(words);
    expect(server.pins).toEqual([]);
  });
});

describe('a request', () => {
  test.each([
    ['GET', '/v5/boards?page_size=251', 400],
    ['GET', '/v5/boards?page_size=0', 400],
    ['GET', '/v5/boards?limit=10', 400],
    ['GET', '/v5/boards?page_size=250', 200],
    ['GET', '/v5/boards/1/pins', 404],
    ['GET', '/v5/boards/brass/pins', 400],
    ['GET', '/v5/nothing', 404],
  ])('%s %s is answered with %i', async (method, path, status) => {
    expect((await logIn().ask(method, path)).status).toBe(status);
  });

  test.each([
    ['GET', '/v5/user_account', 'boards:read'],
    ['POST', '/v5/pins', 'boards:read pins:read pins:write'],
    ['GET', `/v5/boards/${boardId}/pins`, 'boards:read'],
  ])('%s %s needs the scopes of the description', async (method, path, scope) => {
    const json = method === 'POST' ? pin : undefined;
    const refused = await logIn(scope).ask(method, path, json);
    expect(refused).toMatchObject({ status: 401, body: { code: 3 } });
  });
});

describe('an answer', () => {
  const check = (path: string, answer: Response, method = 'GET') =>
    checkAnswer(answer, findOperation(method, path)!);

  test('must have the members that are described', async () => {
    const boards = (items: object[]) => Response.json({ items, bookmark: null });
    await check('/v5/boards', boards([{ id: '1', name: 'A' }]));
    const bad = [{ id: '1' }, { id: 'a', name: 'A' }, { id: '1', name: 'A', sections: [] }];
    for (const board of bad) {
      await expect(check('/v5/boards', boards([board]))).rejects.toThrow('answer 200');
    }
  });

  test('must name a time with its zone', async () => {
    const pinAt = (created_at: string) => Response.json({ id: '1', created_at }, { status: 201 });
    await check('/v5/pins', pinAt('2026-11-27T03:00:00Z'), 'POST');
    const zoneless = check('/v5/pins', pinAt('2026-11-27T03:00:00'), 'POST');
    await expect(zoneless).rejects.toThrow('date-time');
  });

  test('that refuses has a code and a message', async () => {
    const kinds = ['limited', 'limited_with_retry_after', 'unavailable', 'error', 'rejected'];
    for (const kind of kinds) await check('/v5/pins', refuse(kind as 'error'), 'POST');
    await expect(
      check('/v5/pins', Response.json({ code: 1 }, { status: 400 }), 'POST'),
    ).rejects.toThrow('message');
  });

  test('of the token endpoint has the members of its kind', async () => {
    const tokens = { access_token: 'a', token_type: 'bearer', expires_in: 1, scope: 'a' };
    const refreshed = { ...tokens, response_type: 'refresh_token' };
    await expect(check('/v5/oauth/token', Response.json(refreshed), 'POST')).rejects.toThrow(
      'refresh_token_expires_in',
    );
  });
});

test('a request of the token endpoint has the members of its kind', async () => {
  const found = findOperation('POST', '/v5/oauth/token')!;
  const ask = (fields: Record<string, string>) => {
    const body = new URLSearchParams(fields);
    return checkRequest(new Request(`${origin}/v5/oauth/token`, { method: 'POST', body }), found);
  };
  const code = { grant_type: 'authorization_code', code: 'a', redirect_uri: 'https://a.example' };
  expect(await ask({ ...code, continuous_refresh: 'true' })).toMatchObject(code);
  await expect(ask({ ...code, code_verifier: 'a' })).rejects.toThrow('unevaluated');
  await expect(ask({ grant_type: 'refresh_token' })).rejects.toThrow('refresh_token');
  await expect(ask({ grant_type: 'password' })).rejects.toThrow('grant_type');
});
