// How the simulators of Meta fetch media. As Meta's crawler does, they follow no redirects. They judge a file
// by its bytes.
import { createHash } from 'node:crypto';

/** https://developers.facebook.com/docs/sharing/webmasters/web-crawlers */
const userAgent = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)';

interface FetchedFile {
  bytes: Buffer;
  /** Type of the file, as the server declares it. */
  type: string;
  /** Format of the file, judging by its first bytes. */
  format: 'jpeg' | 'png' | 'video' | undefined;
  sha256: string;
}

/** Undefined: the file can't be fetched. `range`: the range that the crawler asks for. */
export async function fetchFile(url: string, range?: string): Promise<FetchedFile | undefined> {
  if (!/^[\x21-\x7e]+$/.test(url)) return undefined;
  const headers = { 'user-agent': userAgent, ...(range !== undefined && { range }) };
  const response = await fetch(url, { headers, redirect: 'manual' }).catch(() => undefined);
  const isWhole = response?.status === 200 || (range !== undefined && response?.status === 206);
  if (!response || !isWhole) return undefined;
  const bytes = Buffer.from(await response.arrayBuffer());
  const length = Number(response.headers.get('content-length'));
  if (length !== bytes.length || length < 8) return undefined;
  const type = response.headers.get('content-type') ?? '';
  return { bytes, type, format: formatOf(bytes), sha256: shaOf(bytes) };
}

export function formatOf(bytes: Buffer): FetchedFile['format'] {
  if (bytes.subarray(0, 2).toString('hex') === 'ffd8') return 'jpeg';
  if (bytes.subarray(1, 4).toString('latin1') === 'PNG') return 'png';
  return bytes.subarray(4, 8).toString('latin1') === 'ftyp' ? 'video' : undefined;
}

export const shaOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
