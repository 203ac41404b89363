// One post to a real Bluesky server, through the whole of Fanfare.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { startBlueskyPds, type BlueskyPds } from '../../support/servers/bluesky-pds.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';
import { readCredentials, readGranted, setCredentials } from '../../support/rows/grants.ts';

const started = await startBlueskyPds();
const skipped = 'skipped' in started ? started.skipped : undefined;
const pds = started as BlueskyPds;

describe.skipIf(skipped !== undefined)('Bluesky', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ env: pds.env });
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

  test('a thread with a comment under it is one thread on Bluesky', async () => {
    const user = await pds.createAccount('bob.test', 'bob-password');
    const connected = await app.api.post('/v1/accounts/connect', {
      platform: 'bluesky',
      credentials: { handle: user.handle, app_password: user.appPassword },
    });
    const account_id = connected.body.data.id;
    const { id } = await app.tenant.createPost({
      platform_posts: [
        { account_id, thread_position: 1, caption: 'first' },
        { account_id, thread_position: 2, caption: 'second', first_comment: 'comment' },
      ],
    });
    const { status, results } = await app.tenant.waitForPost(id);
    expect(status).toBe('published');
    const [first, second] = results;
    const comment = await readRecord(second!.first_comment!.external_id!);
    const { uri, cid } = await readRecord(first!.external_id!);
    const parent = await readRecord(second!.external_id!);
    const root = { uri, cid };
    expect(parent.value).toMatchObject({ text: 'second', reply: { root, parent: root } });
    expect(comment.value).toMatchObject({
      text: 'comment',
      reply: { root, parent: { uri: parent.uri, cid: parent.cid } },
    });

    const missing = await app.tenant.createPost({
      platform_posts: [{ account_id, caption: 'lonely', in_reply_to: `${uri.slice(0, -3)}zzz` }],
    });
    const failed = await app.tenant.waitForPost(missing.id);
    expect(failed.results[0]).toMatchObject({
      status: 'failed',
      error_code: 'rejected',
      platform_error_code: 'reply_to_not_found',
      failure_stage: 'prepare',
    });
  });

  test('an account stored with another server moves to its own PDS at the next refresh', async () => {
    const user = await pds.createAccount('carol.test', 'carol-password');
    const credentials = { handle: user.handle, app_password: user.appPassword };
    const body = { platform: 'bluesky', credentials };
    const { id } = (await app.api.post('/v1/accounts/connect', body)).body.data;
    const expired = JSON.stringify({ error: 'ExpiredToken', message: 'Token has expired' });
    await using elsewhere = await startReceiver({
      respond: () => ({ status: 400, body: expired }),
    });
    const { db, vault } = app.context;
    const stored = (await readCredentials(db, vault, id))!;
    const moved = { ...stored, service: elsewhere.url, handle: 'somebody.example.com' };
    await setCredentials(db, vault, id, moved);
    await db
      .updateTable('social_accounts')
      .set({ account_name: moved.handle })
      .where('id', '=', id)
      .execute();

    const post = await app.tenant.createPost({ caption: 'Home again', account_ids: [id] });
    expect((await app.tenant.waitForPost(post.id)).status).toBe('published');
    expect(elsewhere.requests.map(({ path }) => path)).toEqual([
      '/xrpc/com.atproto.repo.putRecord',
    ]);
    expect((await readGranted(db, id)).account_name).toBe('carol.test');
    expect(await readCredentials(db, vault, id)).toMatchObject({
      service: pds.url,
      handle: 'carol.test',
    });
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

interface StoredRecord {
  uri: string;
  cid: string;
  value: Record<string, unknown>;
}

async function readRecord(uri: string): Promise<StoredRecord> {
  const [, , repo = '', collection = '', rkey = ''] = uri.split('/');
  const query = new URLSearchParams({ repo, collection, rkey }).toString();
  const response = await fetch(`${pds.url}/xrpc/com.atproto.repo.getRecord?${query}`);
  return (await response.json()) as StoredRecord;
}
