// Which images and videos the simulated Threads takes. It checks the URL, the type and the bytes.
import { fetchFile } from '../meta/media.ts';
import { notAnImage, notDownloaded } from './refusals.ts';

const kinds = {
  image: {
    types: ['image/jpeg', 'image/png'],
    formats: ['jpeg', 'png'],
    extensions: /\.(?:jpe?g|png)$/,
    maxBytes: 8_388_608,
  },
  video: {
    types: ['video/mp4', 'video/quicktime'],
    formats: ['video'],
    extensions: /\.(?:mp4|mov)$/,
    maxBytes: 1_073_741_824,
  },
};

/** Returns the SHA-256 of the file. Throws a refusal. */
export async function fetchMedia(url: string, kind: 'image' | 'video'): Promise<string> {
  const { types, formats, extensions, maxBytes } = kinds[kind];
  const isNamed = extensions.test(new URL(url).pathname);
  const file = isNamed ? await fetchFile(url, 'bytes=0-') : undefined;
  if (!file || file.bytes.length > maxBytes) throw notDownloaded(url);
  if (!types.includes(file.type) || !formats.includes(file.format ?? '')) throw notAnImage();
  return file.sha256;
}
