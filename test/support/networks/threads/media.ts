// How the simulated Threads fetches media: without redirects, as one of its crawlers, and by their bytes.
import { createHash } from 'node:crypto';
import { notAnImage, notDownloaded } from './refusals.ts';

/** https://developers.facebook.com/docs/sharing/webmasters/web-crawlers */
const headers = {
  'user-agent': 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  range: 'bytes=0-',
};

const kinds = {
  image: {
    types: ['image/jpeg', 'image/png'],
    extensions: /\.(?:jpe?g|png)$/,
    maxBytes: 8_388_608,
  },
  video: {
    types: ['video/mp4', 'video/quicktime'],
    extensions: /\.(?:mp4|mov)$/,
    maxBytes: 1_073_741_824,
  },
} as const;

/** Returns the SHA-256 of the file. Throws a refusal. */
export async function fetchMedia(url: string, kind: 'image' | 'video'): Promise<string> {
  const { types, extensions, maxBytes } = kinds[kind];
  if (!extensions.test(new URL(url).pathname)) throw notDownloaded(url);
  const response = await fetch(url, { headers, redirect: 'manual' }).catch(() => undefined);
  if (response?.status !== 200 && response?.status !== 206) throw notDownloaded(url);
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type') ?? '';
  if (!types.some((each) => each === type) || readType(bytes) !== kind) throw notAnImage();
  const length = Number(response.headers.get('content-length'));
  if (bytes.length > maxBytes || length !== bytes.length) throw notDownloaded(url);
  return createHash('sha256').update(bytes).digest('hex');
}

function readType(bytes: Buffer): 'image' | 'video' | undefined {
  const isPng = bytes.subarray(1, 4).toString('latin1') === 'PNG';
  const isJpeg = bytes.readUInt16BE(0) === 0xff_d8;
  if (isPng || isJpeg) return 'image';
  return bytes.subarray(4, 8).toString('latin1') === 'ftyp' ? 'video' : undefined;
}
