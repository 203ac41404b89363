// Images made to cost memory or time: no process grows beyond its limit, and no other project waits long.
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createImages } from '../../../activities/media/images/images.ts';
import { MediaError } from '../../../activities/media/media-error.ts';
import { probe } from '../../../activities/media/probe.ts';
import { createVideoReader } from '../../../activities/media/videos.ts';
import type { MediaSource } from '../../../activities/platforms/platform.ts';
import { hostileImages } from '../../support/media/hostile-images.ts';
import { listImageProcesses, ownMemory } from '../../support/media/image-processes.ts';
import { bytesSource, noise } from '../../support/media/samples.ts';

const images = createImages();
const readers = { images, readVideo: createVideoReader() };
const folder = await mkdtemp(join(tmpdir(), 'fanfare-hostile-'));
afterAll(async () => {
  await images.close();
  await rm(folder, { recursive: true });
});

async function fileSource(path: string): Promise<MediaSource> {
  const blob = await openAsBlob(path);
  return {
    bytes: blob.size,
    open: ({ start, end } = { start: 0, end: blob.size - 1 }) =>
      blob.slice(start, end + 1).stream(),
  };
}

/** What became of the image. */
const outcomeOf = (image: Promise<unknown>) =>
  image.then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof MediaError) return error.code;
      throw error;
    },
  );

describe.runIf(process.platform === 'linux')('hostile images', () => {
  test('together take at most 300 MB, and a picture of another project overtakes most of them', async () => {
    const sources = [];
    for (const [i, image] of hostileImages.entries()) {
      const path = join(folder, String(i));
      const bytes = await image.make();
      expect(bytes.length, image.name).toBeLessThan(67_108_864);
      await writeFile(path, bytes);
      sources.push(await fileSource(path));
    }
    const photo = bytesSource(await noise(1_200, 800).jpeg().toBuffer());
    await probe(readers, 'prj_quiet', photo);

    let most = 0;
    const before = process.memoryUsage.rss();
    const watching = setInterval(() => {
      const ours = Math.max(0, process.memoryUsage.rss() - before);
      most = Math.max(most, ours + ownMemory(listImageProcesses()));
    }, 20);
    let ended = 0;
    const flood = sources.map(async (source) => {
      const outcome = await outcomeOf(probe(readers, 'prj_flood', source));
      ended++;
      return outcome;
    });
    await expect.poll(() => ended).toBeGreaterThan(0);
    const endedBefore = ended;
    await probe(readers, 'prj_quiet', photo);
    // The one in progress, the picture itself, and those that end while the picture is on its way.
    expect(ended - endedBefore).toBeLessThan(hostileImages.length / 4);
    const outcomes = await Promise.all(flood);
    clearInterval(watching);

    const byName = Object.fromEntries(hostileImages.map(({ name }, i) => [name, outcomes[i]]));
    expect(byName).toMatchInlineSnapshot(`
      {
        "AVIF in 4:4:4": "accepted",
        "AVIF larger than it says": "media_invalid",
        "AVIF of 12 megapixels": "accepted",
        "AVIF of 49 megapixels in a kilobyte": "media_too_large",
        "AVIF that is cut short": "media_invalid",
        "AVIF with empty boxes behind it": "media_too_large",
        "AVIF with millions of boxes before its image": "media_too_large",
        "GIF of 500 megapixels in large frames": "accepted",
        "GIF of 500 megapixels in small frames": "accepted",
        "GIF of 550 megapixels": "media_too_large",
        "GIF of millions of frames": "media_too_large",
        "JPEG of 4,000 megapixels": "media_too_large",
        "JPEG of 50 megapixels on its side": "accepted",
        "JPEG with 60 MB behind it": "accepted",
        "JPEG with 60 MB of XMP in segments": "media_too_large",
        "JPEG with 60 MB of comments": "media_too_large",
        "JPEG with 60 MB of profiles": "media_too_large",
        "JPEG with 60 MB of restart markers": "accepted",
        "JPEG with millions of empty segments": "media_too_large",
        "JPEG with thousands of scans": "media_too_large",
        "PNG of 24 megapixels": "accepted",
        "PNG of 3,600 megapixels": "media_too_large",
        "PNG with 60 MB behind it": "accepted",
        "PNG with 60 MB of XMP": "media_too_large",
        "PNG with 60 MB of text": "media_too_large",
        "PNG with compressed text of a gigabyte": "media_too_large",
        "PNG with millions of empty chunks": "media_too_large",
        "WebP of 200 megapixels": "media_too_large",
        "WebP with 60 MB behind it": "accepted",
        "WebP with 60 MB of EXIF": "media_too_large",
        "WebP with 60 MB of XMP": "media_too_large",
        "WebP with 60 MB of zeros as XMP": "media_too_large",
        "WebP with a profile of 60 MB": "media_too_large",
        "WebP with millions of XMP chunks": "media_too_large",
        "WebP with millions of empty chunks": "media_too_large",
        "interlaced PNG of 24 megapixels": "accepted",
        "interlaced PNG of 24 megapixels with 16 bits": "media_too_large",
        "lossless WebP of 24 megapixels": "accepted",
        "progressive JPEG of 50 megapixels": "accepted",
        "progressive JPEG of 50 megapixels in 4:4:4": "media_too_large",
      }
    `);
    expect(most).toBeLessThan(300_000_000);
    // Its memory returns with the process, which ends without work.
    await expect.poll(() => listImageProcesses(), { timeout: 20_000 }).toEqual([]);
  }, 240_000);
});
