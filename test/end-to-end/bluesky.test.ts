// One post to a real Bluesky server, through the whole of Fanfare.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { startBlueskyPds, type BlueskyPds } from '../support/bluesky-pds.ts';

const started = await startBlueskyPds();
const skipped = 'skipped' in started ? started.skipped : undefined;
const pds = started as BlueskyPds;

describe.skipIf(skipped !== undefined)('Bluesky', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ env: { FANFARE_BLUESKY_API_URL: pds.url } });
  });

  afterAll(async () => {
    await app.stop();
    await pds.stop();
  });

  test('a post with a link and an emoji goes out, and its event comes back with its uri', async () => {
    const user = await pds.createAccount('alice.test', 'alice-password');
    const connected = await app.api.post('/v1/accounts/connect', {
      platform: 'bluesky',
      credentials: { handle: user.handle, app_password: user.appPassword },
    });
    expect(connected.body).toMatchObject({
      data: { platform: 'bluesky', account_name: 'alice.test', external_account_id: user.did },
    });
    const post = await app.tenant.createPost({
      caption: '🎺 Fanfare: https://example.com/a',
      account_ids: [connected.body.data.id],
    });
    const published = await app.tenant.waitForPost(post.id);
    expect(published.results[0]).toMatchObject({ status: 'published', error_code: null });
    const uri = published.results[0]!.external_id!;
    const records = await fetch(
      `${pds.url}/xrpc/com.atproto.repo.listRecords?repo=${user.did}&collection=app.bsky.feed.post`,
    );
    const { records: found } = (await records.json()) as { records: { uri: string }[] };
    expect(found.map((record) => record.uri)).toEqual([uri]);
  });

  test('a wrong app password is refused with the path of the field', async () => {
    const answer = await app.api.post('/v1/accounts/connect', {
      platform: 'bluesky',
      credentials: { handle: 'alice.test', app_password: 'wrong' },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues[0].path).toMatch(/^credentials/);
  });
});
