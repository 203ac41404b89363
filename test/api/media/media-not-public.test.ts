// An installation without a public address for media: networks that fetch them are off, and every call says why.
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { addImage } from '../../support/rows/media.ts';
import { addAccount } from '../../support/rows/rows.ts';

const lines: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
const app = useApp({
  env: { FANFARE_MEDIA_PUBLIC_URL: '' },
  roles: { api: true, worker: false },
  log,
});
const message = 'threads fetches media, and this installation has no public address for them.';
const addThreads = () => addAccount(app.context.db, app.tenant.projectId, 'threads');

async function expectRefused(method: string, path: string, body: object): Promise<void> {
  const answer = await app.api.call(method, path, body);
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.error.issues).toMatchObject([{ code: 'media_not_public', message }]);
}

test("the log of a start names the networks that can't fetch media", () => {
  const found = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(found).toContainEqual(
    expect.objectContaining({ component: 'process', networks: ['threads', 'instagram'] }),
  );
  expect(lines.join('')).toContain('set FANFARE_MEDIA_PUBLIC_URL');
});

test("networks that can't fetch media are not in the capabilities", async () => {
  const { body } = await app.api.get('/v1/platforms/capabilities');
  const names = (body.data as { platform: string }[]).map(({ platform }) => platform);
  expect(names).toContain('mastodon');
  expect(names).not.toContain('threads');
});

test('a network that fetches only images takes none, and stays on for videos', async () => {
  const { db } = app.context;
  const { projectId } = app.tenant;
  const account_id = await addAccount(db, projectId, 'tiktok');
  const media_ids = [await addImage(db, projectId)];
  const platform_posts = [{ account_id, media_ids, platform_options: { mode: 'inbox' } }];
  const answer = await app.api.post('/v1/posts/validate', { platform_posts });
  expect(answer.body.data.errors).toMatchObject([
    { code: 'media_not_public', path: 'platform_posts[0].media_ids' },
  ]);
  const { body } = await app.api.get('/v1/platforms/capabilities');
  const names = (body.data as { platform: string }[]).map(({ platform }) => platform);
  expect(names).toContain('tiktok');
});

describe('a request for a network that fetches media is refused', () => {
  test('for a connect session', async () => {
    const body = { platform: 'threads', external_user_id: 'user-1' };
    await expectRefused('POST', '/v1/connect/sessions', body);
  });

  test('for a connect session that names an account', async () => {
    const body = { social_account_id: await addThreads() };
    await expectRefused('POST', '/v1/connect/sessions', body);
  });

  test('for credentials and for imported tokens', async () => {
    const body = { platform: 'threads', external_user_id: 'user-1' };
    await expectRefused('POST', '/v1/accounts/connect', { ...body, credentials: {} });
    await expectRefused('POST', '/v1/accounts/import', { ...body, access_token: 'a' });
  });

  test('for an app', async () => {
    const body = { client_id: 'id', client_secret: 'secret' };
    await expectRefused('PUT', '/v1/platform-credentials/threads', body);
  });

  test('for a post, and for its validation', async () => {
    const post = { caption: 'hello', account_ids: [await addThreads()] };
    await expectRefused('POST', '/v1/posts', post);
    const { body } = await app.api.post('/v1/posts/validate', post);
    expect(body.data).toMatchObject({
      valid: false,
      errors: [{ code: 'media_not_public', path: 'account_ids[0]', message }],
    });
  });
});
