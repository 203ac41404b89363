// Google's own client and the connector make the same calls to YouTube, and the simulator answers both.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRandomFile, fileMedia } from '../../support/media/target-media.ts';
import { startYouTube } from '../../support/networks/youtube/connected.ts';
import { installPythonPackages, python } from '../../support/servers/python-packages.ts';

const fileOf = (name: string) =>
  fileURLToPath(new URL(`../../support/judges/youtube/${name}`, import.meta.url));

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
  const body: unknown = request.method === 'GET' ? null : await request.json();
  return { method: request.method, path, query, body };
}

/** Removes what differs from one video to another. */
const toForm = ({ query, ...call }: Call) =>
  JSON.stringify({ ...call, query: { ...query, id: query['id'] && 'ID', maxResults: 'COUNT' } });

const formsOf = (calls: readonly Call[]) => [...new Set(calls.map(toForm))].toSorted();

const Returned = z.object({
  revision: z.string(),
  channels: z.object({ items: z.tuple([z.object({ id: z.string() })]) }),
  video: z.object({ id: z.string(), status: z.object({ uploadStatus: z.string() }) }),
  progress: z.array(z.number()),
  uploads: z.object({ items: z.array(z.object({ contentDetails: z.unknown() })) }),
  'next uploads': z.object({ items: z.array(z.object({ contentDetails: z.unknown() })) }),
  videos: z.object({ items: z.tuple([z.object({ fileDetails: z.unknown() })]) }),
  refused: z.record(z.string(), z.object({ status: z.number(), reason: z.string() })),
  problems: z.array(z.string()),
});

test('the client and the connector make the same calls', async () => {
  await using network = await startYouTube();
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
  };
  const target = network.target({ media: [fileMedia(file.path)], platformOptions });
  await network.logIn();
  expect(await network.publish(target)).toMatchObject({ outcome: 'published' });
  expect(await network.reconcile(target)).toMatchObject({ outcome: 'published' });
  const isLogin = ({ url }: Request) => /\/(?:auth|token)(?:\?|$)/.test(url);
  const own = await Promise.all(server.requests.filter((each) => !isLogin(each)).map(readCall));
  network.forgetCalls();
  server.uploads.chunks.length = 0;

  const packages = await installPythonPackages('youtube-client', fileOf('requirements.txt'));
  const input = {
    url: network.url,
    token: server.login.createToken().access_token,
    file: file.path,
    body: own.find(({ method }) => method === 'POST')!.body,
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
  expect(server.videos.at(-1)).toMatchObject({ id: returned.video.id, sha256: file.sha256 });
  const listed = [returned.uploads, returned['next uploads']].flatMap(({ items }) => items);
  const ids = server.videos.toReversed().map(({ id }) => ({ contentDetails: { videoId: id } }));
  expect(listed).toEqual(ids);
  expect(returned.videos.items[0].fileDetails).toEqual({ fileSize: '600000' });
  expect(returned.refused).toEqual({
    'no title': { status: 400, reason: 'invalidTitle' },
    'long tags': { status: 400, reason: 'invalidTags' },
    'other playlist': { status: 404, reason: 'playlistNotFound' },
  });

  // Without the calls that are refused on purpose, and the one of the second page.
  const theirs = (await Promise.all(server.requests.map(readCall))).filter(
    ({ query: { pageToken, playlistId = '' }, body }) =>
      pageToken === undefined &&
      playlistId !== 'UUother' &&
      (body === null || JSON.stringify(body) === JSON.stringify(input.body)),
  );
  expect(formsOf(theirs)).toEqual(formsOf(own));
}, 300_000);
