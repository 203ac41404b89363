// Threads fetches the media of a post from Fanfare, at a URL that ends with the post and shows nowhere else.
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Post } from '../../../../schema/posts/posts.ts';
import { startApp, type TestApp } from '../../../support/app/app.ts';
import { readHistories, readTables } from '../../../support/checks/traces.ts';
import { createMedia, pngOf, putBytes } from '../../../support/media/uploads.ts';
import { connectClient } from '../../../support/networks/contract/live-client.ts';
import { createSwitchboard } from '../../../support/networks/faults.ts';
import type { RunningNetwork } from '../../../support/networks/contract/subject.ts';
import { startNetwork } from '../../../support/networks/threads/subject.ts';
import { ThreadsServer } from '../../../support/networks/threads/server.ts';

const server = new ThreadsServer();
const lines: string[] = [];
let network: RunningNetwork;
let app: TestApp;
let accountId: string;
beforeAll(async () => {
  network = await startNetwork(createSwitchboard(), server);
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  app = await startApp({ env: network.env, log });
  ({ accountId } = await connectClient(app, {
    platform: 'threads',
    network,
    isByConsent: true,
    patienceMs: 20_000,
    onPublished: () => undefined,
  }));
});
afterAll(async () => {
  await app?.stop();
  await network?.[Symbol.asyncDispose]();
});

async function upload(width: number): Promise<string> {
  const { id, upload_url } = await createMedia(app.api, { content_type: 'image/png' });
  await putBytes(upload_url, await pngOf(width, 16));
  return id;
}

const post = (media_ids: string[]) =>
  app.api.post('/v1/posts', {
    platform_posts: [{ account_id: accountId, caption: 'Two', media_ids }],
  });

const listHashes = (ids: string[]) =>
  app.context.db.selectFrom('media').select(['id', 'sha256']).where('id', 'in', ids).execute();

test('a carousel is published with its files, whose URLs stop working afterwards and are recorded nowhere', async () => {
  const media = [await upload(16), await upload(160)];
  // The error repeats the URL.
  server.failedFetches = 1;
  const accepted = await post(media);
  expect(accepted.status, accepted.text).toBe(202);
  const { id } = accepted.body.data as Post;
  const { results } = await app.tenant.waitForPost(id, { timeoutMs: 20_000 });
  expect(results[0], JSON.stringify(results)).toMatchObject({ status: 'published' });
  const hashes = await listHashes(media);
  const expected = media.map((each) => hashes.find((row) => row.id === each)!.sha256);
  expect(server.listPosts()[0]!.media).toEqual(expected);

  const attempts = await app.api.get(`/v1/posts/${id}/results/${results[0]!.id}/attempts`);
  expect(attempts.text).toContain('/media/[redacted]/1.png');
  const traces = [
    ...(await readTables(app.database.db)),
    ...(await readHistories(app.namespace)),
    attempts.text,
    lines.join('\n'),
  ];
  expect(traces.filter((text) => /test~[\w-]{40}/.test(text))).toEqual([]);
  const urls = server.containers.flatMap(({ given }) => given.image_url ?? []);
  expect(urls).toHaveLength(2);
  for (const url of urls) {
    const [, token] = /^\/media\/([\w~-]+)\/1\.png$/.exec(new URL(url).pathname) ?? [];
    expect(token).toMatch(/^test~[\w-]{100,}$/);
    expect((await fetch(url)).status).toBe(404);
  }
});

test('an image that Threads refuses is refused before it is sent', async () => {
  const answer = await post([await upload(170), await upload(16)]);
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.error.issues).toMatchObject([{ code: 'media_ratio_not_supported' }]);
});
