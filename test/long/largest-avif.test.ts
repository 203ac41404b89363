// The image that takes the most CPU time to encode, for which the images of other projects wait.
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createImageProcess } from '../../activities/media/images/process.ts';
import { imageLimits } from '../../schema/media.ts';
import { noise } from '../support/media/samples.ts';

test('the largest AVIF is read and encoded in less than 4 s of CPU each', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'fanfare-test-'));
  const [path, to] = [join(folder.path, 'photo'), join(folder.path, 'encoded')];
  await noise(1_000, 750).resize(4_000, 3_000).avif({ effort: 0 }).toFile(path);
  const own = createImageProcess(imageLimits.pictureMemoryBytes);
  const noLimits = { maxWidth: null, maxHeight: null, maxPixels: null, factor: 1 };
  const encoding = { contentType: 'image/avif', quality: 65, ...noLimits };
  const type = { contentType: 'image/avif', format: 'heif' };
  const read = await own.run({ kind: 'read', path, ...type }, imageLimits.pictureCpuMs);
  const encoded = await own.run({ kind: 'encode', path, to, encoding }, imageLimits.pictureCpuMs);
  expect(Math.max(read.cpuMs, encoded.cpuMs)).toBeLessThan(4_000);
  await own.close();
}, 120_000);
