// The processes for images: what they refuse before decoding, and how they end.
import { globSync } from 'node:fs';
import { mkdtempDisposable, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createImages, type Images } from '../../../activities/media/images/images.ts';
import { createImageProcess } from '../../../activities/media/images/process.ts';
import { probe } from '../../../activities/media/probe.ts';
import { createVideoReader } from '../../../activities/media/videos.ts';
import { hostileImages, pngChunk, pngWith } from '../../support/media/hostile-images.ts';
import { listImageProcesses } from '../../support/media/image-processes.ts';
import { bytesSource, noise } from '../../support/media/samples.ts';

const readers = { images: createImages(), readVideo: createVideoReader() };
const { images } = readers;
afterAll(() => images.close());

const closing = (own: Images) => ({
  images: own,
  readers: { ...readers, images: own },
  [Symbol.asyncDispose]: () => own.close(),
});

test.each([
  ['WebP with millions of empty chunks', 'The image has more than 100000 chunks.'],
  ['PNG with compressed text of a gigabyte', 'The image has more than 16000000 bytes of metadata.'],
  ['GIF of millions of frames', 'The image has more than 100000 blocks.'],
  ['AVIF with empty boxes behind it', 'The image has more than 100000 boxes.'],
])('%s is refused before it is decoded', async (name, message) => {
  const bytes = await hostileImages.find((image) => image.name === name)!.make();
  const reading = probe(readers, 'prj_test', bytesSource(bytes));
  await expect(reading).rejects.toMatchObject({ code: 'media_too_large', message });
});

test('PNG with 17 MB of text is refused before it is decoded', async () => {
  const text = Buffer.concat([Buffer.from('Comment\0'), Buffer.alloc(17_000_000, 0x20)]);
  const reading = probe(readers, 'prj_test', bytesSource(await pngWith(pngChunk('tEXt', text))));
  const message = 'The image has more than 16000000 bytes of metadata.';
  await expect(reading).rejects.toMatchObject({ code: 'media_too_large', message });
});

test.each([
  ['zTXt', 'Comment\0\0'],
  ['iTXt', 'Comment\0\x01\0en\0Kommentar\0'],
  ['iCCP', 'Profile\0\0'],
])('a %s chunk of a PNG counts by its inflated size', async (type, head) => {
  const read = async (length: number) => {
    const inflated = deflateSync(Buffer.alloc(length, 0x41));
    const chunk = pngChunk(type, Buffer.concat([Buffer.from(head), inflated]));
    return probe(readers, 'prj_test', bytesSource(await pngWith(chunk)));
  };
  expect(await read(1_000_000)).toMatchObject({ width: 40 });
  const message = 'The image has more than 16000000 bytes of metadata.';
  await expect(read(17_000_000)).rejects.toMatchObject({ code: 'media_too_large', message });
});

test('one project copies at most half of the images that may be copied at once', async () => {
  const bytes = await noise(40, 30).png().toBuffer();
  const isReleased = Promise.withResolvers<void>();
  let opened = 0;
  const waiting = {
    bytes: bytes.length,
    open: () =>
      new ReadableStream<Uint8Array>({
        async start(controller) {
          opened++;
          await isReleased.promise;
          controller.enqueue(bytes);
          controller.close();
        },
      }),
  };
  const type = { contentType: 'image/png', format: 'png' };
  const reads = Array.from({ length: 20 }, () => images.read('prj_flood', waiting, type));
  await expect.poll(() => opened).toBe(4);
  await images.read('prj_other', bytesSource(bytes), type);
  expect(opened).toBe(4);
  isReleased.resolve();
  await Promise.all(reads);
});

describe('the tries of a fit', () => {
  const limits = { maxWidth: null, maxHeight: null, maxPixels: null };
  /** Four tries keep the size, and eight make it smaller. */
  const hopeless = { contentType: 'image/jpeg', maxBytes: 20, ...limits };
  /** Seven tries or so. */
  const demanding = { ...hopeless, maxBytes: 1_000 };
  const large = () => noise(1_500, 1_000).jpeg({ quality: 60 }).toBuffer();

  /** How many of another project's three images are read between the first try and the last. */
  async function countReads(images: Images): Promise<number> {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'fanfare-test-'));
    vi.stubEnv('TMPDIR', folder.path);
    onTestFinished(() => void vi.unstubAllEnvs());
    const findFitted = () => globSync('*/fitted', { cwd: folder.path });
    const fitting = images.fit('prj_one', bytesSource(await large()), demanding);
    await expect.poll(findFitted, { interval: 5 }).toHaveLength(1);
    const small = bytesSource(await noise(40, 30).png().toBuffer());
    const type = { contentType: 'image/png', format: 'png' };
    const read = () => images.read('prj_flood', small, type).then(() => Date.now());
    const readAt = await Promise.all([read(), read(), read()]);
    await using _fitted = await fitting;
    const { mtimeMs: lastTriedAt } = await stat(join(folder.path, findFitted()[0]!));
    return readAt.filter((at) => at < lastTriedAt).length;
  }

  test('run in one turn, so no image of another project is served between them', async () => {
    await using own = closing(createImages({ turnCpuMs: 1e5 }));
    expect(await countReads(own.images)).toBe(0);
  });

  test('run in several turns if they take long', async () => {
    await using own = closing(createImages({ turnCpuMs: 0 }));
    expect(await countReads(own.images)).toBeGreaterThan(0);
  });

  test('share one limit of CPU time', async () => {
    await using own = closing(createImages({ fitCpuMs: 80, turnCpuMs: 10 }));
    const fitting = own.images.fit('prj_test', bytesSource(await large()), hopeless);
    await expect(fitting).rejects.toMatchObject({
      code: 'media_too_large',
      message: 'Decoding the image takes too long.',
    });
  });
});

describe.runIf(process.platform === 'linux')('the process', () => {
  const photo = async () => bytesSource(await noise(400, 300).jpeg().toBuffer());

  test('keeps running when a terminal interrupts the whole program', async () => {
    await using own = closing(createImages());
    const others = listImageProcesses();
    await probe(own.readers, 'prj_one', await photo());
    const pid = listImageProcesses().find((each) => !others.includes(each));
    process.kill(Number(pid), 'SIGINT');
    await probe(own.readers, 'prj_one', await photo());
    expect(listImageProcesses()).toContain(pid);
  });

  test('does not blame the image if the process is closed during a read', async () => {
    const own = createImageProcess(1e9);
    const reading = own.run({ kind: 'frames', path: '/nowhere' }, 1e4);
    const refused = expect(reading).rejects.toThrow('The process for images has ended.');
    await own.close();
    await refused;
  });

  test('reads the next image after one image took too long', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'fanfare-test-'));
    const path = join(folder.path, 'photo');
    await writeFile(path, await noise(400, 300).jpeg().toBuffer());
    const job = { kind: 'read', path, contentType: 'image/jpeg', format: 'jpeg' } as const;
    const own = createImageProcess(1e9);
    await expect(own.run(job, 0)).rejects.toMatchObject({ code: 'media_too_large' });
    expect((await own.run(job, 1e4)).done).toMatchObject({ width: 400, height: 300 });
    await own.close();
  });

  test('fails one job if it cannot be started, and the next job starts it again', async () => {
    const job = { kind: 'frames', path: '/nowhere' } as const;
    const own = createImageProcess(1e9);
    const { execPath } = process;
    process.execPath = '/nowhere';
    try {
      await expect(own.run(job, 1e4)).rejects.toMatchObject({ code: 'ENOENT' });
    } finally {
      process.execPath = execPath;
    }
    await expect(own.run(job, 1e4)).rejects.toMatchObject({ code: 'media_invalid' });
    await own.close();
  });
});
