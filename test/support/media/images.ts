// The readers of images and videos, shared by the tests of a file. Their processes end when they are idle.
import { createImages, type FittedImage } from '../../../activities/media/images/images.ts';
import { probe, type Probed } from '../../../activities/media/probe.ts';
import { createVideoReader } from '../../../activities/media/videos.ts';
import type { FitPlan } from '../../../activities/platforms/media-rules.ts';
import type { MediaSource } from '../../../activities/platforms/platform.ts';
import { bytesSource } from './samples.ts';

export const images = createImages();
export const readers = { images, readVideo: createVideoReader() };

export const probeSource = (source: MediaSource): Promise<Probed> =>
  probe(readers, 'prj_test', source);

export interface FittedBytes extends Pick<FittedImage, 'contentType' | 'width' | 'height'> {
  bytes: Buffer;
}

/** Fits the image, and reads the file that comes out. */
export async function fitBytes(
  image: Uint8Array,
  plan: FitPlan,
  projectId = 'prj_test',
): Promise<FittedBytes> {
  await using fitted = await images.fit(projectId, bytesSource(image), plan);
  const { contentType, width, height } = fitted;
  const parts: Uint8Array[] = [];
  for await (const part of fitted.open(65_536)) parts.push(part);
  return { bytes: Buffer.concat(parts), contentType, width, height };
}
