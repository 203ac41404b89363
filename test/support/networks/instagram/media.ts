// How the simulated Instagram fetches media: without redirects, as Meta's crawler, and by their bytes.
// By https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media, read on
// 2026-11-26.
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { notFetched, notJpeg, tooLarge, wrongRatio } from './refusals.ts';

/** https://developers.facebook.com/docs/sharing/webmasters/web-crawlers */
const headers = {
  'user-agent': 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
};

const maxImageBytes = 8_388_608;
const maxVideoBytes = 314_572_800;

/** Returns the SHA-256 of the image. Throws a refusal. */
export async function fetchImage(url: string, hasRatio: boolean): Promise<string> {
  const { bytes, type } = await download(url);
  if (!type.startsWith('image/') || type === 'image/webp') throw notFetched();
  if (type !== 'image/jpeg' || bytes.readUInt16BE(0) !== 0xff_d8) throw notJpeg();
  if (bytes.length > maxImageBytes) throw tooLarge();
  const { width, height } = await sharp(bytes).metadata();
  const ratio = width / height;
  if (hasRatio && (ratio < 0.8 || ratio > 1.91)) throw wrongRatio();
  return toSha256(bytes);
}

/** The hash, or the subcode in the status of its container: Instagram fetches videos later. */
export async function fetchVideo(url: string): Promise<{ sha256: string } | { failure: number }> {
  const file = await download(url).catch(() => undefined);
  if (!file) return { failure: 2207077 };
  const isVideo = ['video/mp4', 'video/quicktime'].includes(file.type);
  const isFtyp = file.bytes.subarray(4, 8).toString('latin1') === 'ftyp';
  if (!isVideo || !isFtyp || file.bytes.length > maxVideoBytes) return { failure: 2207026 };
  return { sha256: toSha256(file.bytes) };
}

async function download(url: string): Promise<{ bytes: Buffer; type: string }> {
  if (!/^[\x21-\x7e]+$/.test(url)) throw notFetched();
  const response = await fetch(url, { headers, redirect: 'manual' }).catch(() => undefined);
  if (response?.status !== 200) throw notFetched();
  const bytes = Buffer.from(await response.arrayBuffer());
  const length = Number(response.headers.get('content-length'));
  if (length !== bytes.length || bytes.length < 8) throw notFetched();
  return { bytes, type: response.headers.get('content-type') ?? '' };
}

const toSha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
