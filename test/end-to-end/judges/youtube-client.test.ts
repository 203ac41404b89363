// Google's own client and the connector make the same calls to YouTube, and the simulator answers both.
import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createImage, createRandomFile, fileMedia } from '../../support/media/target-media.ts';
import { startYouTube, withAllScopes } from '../../support/networks/youtube/connected.ts';
import { installPythonPackages, python } from '../../support/servers/python-packages.ts';

const fileOf = (name: string) =>
  fileURLToPath(new URL(`../../support/judges/youtube/${name}`, import.meta.url));

const never = new AbortController().signal;

interface Call {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
}

/** Only Google's client names the form of answers, which is the default one. */
async function readCall(request: Request): Promise<Call> {
  const { pathname: path, searchParams } = new URL(request.url);
  searchParams.sort();
  const { alt: _, ...query } = Object.fromEntries(searchParams);
  const isJson = request.headers.get('content-type')?.startsWith('application/json');
  const body: unknown = isJson ? await request.json() : null;
  return { method: request.method, path, query, body };
}

/** Removes what differs from one video to another. */
const toForm = ({ query, ...call }: Call) =>
  JSON.stringify({ ...call, query: { ...query, maxResults: 'COUNT' } }).replaceAll(
    /"(id|videoId)":"[^"]*"/g,
    '"$1":"ID"',
  );

const formsOf = (calls: readonly Call[]) => [...new Set(calls.map(toForm))].toSorted();

const Returned = z.object({
  revision: z.string(),
  channels: z.object({ items: z.tuple([z.object({ id: z.string() })]) }),
  video: z.object({ id: z.string(), status: z.object({ uploadStatus: z.string() }) }),
  progress: z.array(z.number()),
  uploads: z.object({ items: z.array(z.object({ contentDetails: z.unknown() })) }),
  'next uploads': z.object({ items: z.array(z.object({ contentDetails: z.unknown() })) }),
  videos: z.object({ items: z.tuple([z.object({ fileDetails: z.unknown() })]) }),
  thumbnail: z.object({ items: z.array(z.unknown()).length(1) }),
  item: z.object({ items: z.array(z.unknown()).length(1) }),
  edited: z.object({ snippet: z.object({ title: z.string() }) }),
  refused: z.record(z.string(), z.object({ status: z.number(), reason: z.string() })),
  problems: z.array(z.string()),
});

test('the client and the connector make the same calls', async () => {
  await using network = await startYouTube({ variables: withAllScopes });
  await using file = await createRandomFile(600_000);
  const { server } = network;
  const platformOptions = {
    title: 'Tuba',
    made_for_kids: false,
    visibility: 'unlisted',
    tags: ['tuba', 'brass band'],
    category_id: '10',
    notify_subscribers: false,
    made_with_ai: true,
    playlist_id: 'PLmarches',
  };
  const thumbnail = await createImage({ contentType: 'image/jpeg' });
  await using folder = await mkdtempDisposable(join(tmpdir(), 'fanfare-thumbnail-'));
  const thumbnailPath = join(folder.path, 'thumbnail.jpg');
  await writeFile(thumbnailPath, thumbnail.open());
  const media = [fileMedia(file.path, { thumbnail })];
  const target = network.target({ media, platformOptions });
  await network.logIn();
  expect(await network.publish(target)).toMatchObject({ outcome: 'published' });
  expect(await network.reconcile(target)).toMatchObject({ outcome: 'published' });
  const { id, ...uploaded } = server.videos[0]!;
  const { thumbnail: cover, playlist } = network.youtube.steps!;
  await cover!.run({ ...target, replyTo: id }, never);
  await playlist!.run({ ...target, replyTo: id }, never);
  expect(await playlist!.isDone!({ ...target, replyTo: id }, never)).toBe(true);
  const post = { ...target, altTexts: [null], publishedAt: null, externalId: id, changed: {} };
  await network.youtube.edit!.apply(post, never);
  await network.youtube.unpublish!.remove(post, never);
  const isLogin = ({ url }: Request) => /\/(?:auth|token)(?:\?|$)/.test(url);
  const own = await Promise.all(server.requests.filter((each) => !isLogin(each)).map(readCall));
  network.forgetCalls();
  const older = server.addVideo(uploaded);
  server.uploads.chunks.length = 0;

  const packages = await installPythonPackages('youtube-client', fileOf('requirements.txt'));
  const input = {
    url: network.url,
    token: server.login.createToken().access_token,
    file: file.path,
    body: own.find(({ method }) => method === 'POST')!.body,
    snippet: (own.find(({ method }) => method === 'PUT')!.body as { snippet: unknown }).snippet,
    playlist: platformOptions.playlist_id,
    thumbnail: thumbnailPath,
    calls: own,
  };
  const { stdout } = await promisify(execFile)(
    python,
    [fileOf('calls.py'), JSON.stringify(input)],
    {
      env: { PATH: process.env['PATH'], PYTHONPATH: packages },
      timeout: 60_000,
    },
  );
  const returned = Returned.parse(JSON.parse(stdout));

  expect(returned.revision).toBe('20261104');
  expect(returned.problems).toEqual([]);
  expect(returned.channels.items[0].id).toBe(server.channel.id);
  expect(returned.video.status.uploadStatus).toBe('uploaded');
  expect(returned.progress).toEqual([262_144, 524_288]);
  expect(server.videos).toMatchObject([{ id: older.id }]);
  const listed = [returned.uploads, returned['next uploads']].flatMap(({ items }) => items);
  const ids = [returned.video.id, older.id].map((videoId) => ({ contentDetails: { videoId } }));
  expect(listed).toEqual(ids);
  expect(returned.videos.items[0].fileDetails).toEqual({ fileSize: '600000' });
  expect(returned.refused).toEqual({
    'no title': { status: 400, reason: 'invalidTitle' },
    'long tags': { status: 400, reason: 'invalidTags' },
    'edit without a category': { status: 400, reason: 'invalidCategoryId' },
    'second delete': { status: 404, reason: 'videoNotFound' },
    'other playlist': { status: 404, reason: 'playlistNotFound' },
  });

  // Without the calls that are refused on purpose, and the one of the second page.
  const wanted = new Set(own.map(toForm));
  const theirs = (await Promise.all(server.requests.map(readCall))).filter(
    (call) =>
      call.query['pageToken'] === undefined &&
      call.query['playlistId'] !== 'UUother' &&
      (call.body === null || wanted.has(toForm(call))),
  );
  expect(formsOf(theirs)).toEqual(formsOf(own));
}, 300_000);
