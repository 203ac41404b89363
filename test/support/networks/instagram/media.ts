// What the simulated Instagram takes as an image or a video.
// By https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media, read on
// 2026-11-26.
import sharp from 'sharp';
import { fetchFile } from '../meta/media.ts';
import { notFetched, notJpeg, tooLarge, wrongRatio } from './refusals.ts';

const maxImageBytes = 8_388_608;
const maxVideoBytes = 314_572_800;

/** Returns the SHA-256 of the image. Throws a refusal. */
export async function fetchImage(url: string, hasRatio: boolean): Promise<string> {
  const file = await fetchFile(url);
  if (!file?.type.startsWith('image/') || file.type === 'image/webp') throw notFetched();
  if (file.type !== 'image/jpeg' || file.format !== 'jpeg') throw notJpeg();
  if (file.bytes.length > maxImageBytes) throw tooLarge();
  const { width, height } = await sharp(file.bytes).metadata();
  const ratio = width / height;
  if (hasRatio && (ratio < 0.8 || ratio > 1.91)) throw wrongRatio();
  return file.sha256;
}

/**
 * Returns the hash, or the subcode that the status of the container shows, because Instagram fetches videos
 * later.
 */
export async function fetchVideo(url: string): Promise<{ sha256: string } | { failure: string }> {
  const file = await fetchFile(url);
  if (!file) return { failure: '2207077' };
  const isVideo = ['video/mp4', 'video/quicktime'].includes(file.type) && file.format === 'video';
  if (!isVideo || file.bytes.length > maxVideoBytes) return { failure: '2207026' };
  return { sha256: file.sha256 };
}
