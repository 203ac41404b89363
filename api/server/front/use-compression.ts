// Yoga plugin: sends text with its length, and compresses large text for clients that accept it.
import { promisify } from 'node:util';
import { brotliCompress, constants, deflate, gzip } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';
import { LRUCache } from 'lru-cache';
import type { HttpPlugin } from '../../graphql/server/yoga.ts';

/** A smaller answer fits in a few packets, so compressing it costs more than it saves. */
const thresholdBytes = 4_096;

/** A stream of events must not wait in a buffer. */
const isText = /^(application\/(graphql-response\+)?json|text\/(html|css|javascript))/;

type Bytes = Awaited<ReturnType<Response['bytes']>>;
/** `room`: enough for the whole result, so that a thread of the pool compresses it in one step. */
type Compress = (bytes: Bytes, room: { chunkSize: number }) => Promise<Buffer<ArrayBuffer>>;

const packBrotli = promisify(brotliCompress);
/** The default, 11, is meant for files that are compressed once. */
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4 };

/** The best one first. */
const encodings = new Map<string, Compress>([
  ['br', (bytes, room) => packBrotli(bytes, { ...room, params: brotliParams })],
  ['gzip', promisify(gzip)],
  ['deflate', promisify(deflate)],
]);

/** Enough for the texts with an ETag, in each encoding: most are files of the dashboard. */
const maxShared = 256;

/** A text as it is sent. */
interface Packed {
  bytes: Bytes;
  encoding?: string;
}

export function useCompression(): HttpPlugin {
  /**
   * Compressed texts by ETag and encoding. They are the same for all clients, so clients that read slowly
   * share their bytes.
   */
  const shared = new LRUCache<string, Promise<Packed>>({ max: maxShared });

  function packShared(key: string, response: Response, encoding: string | undefined) {
    const known = shared.get(key);
    if (known) return known;
    const packed = pack(response, encoding);
    shared.set(key, packed);
    packed.catch(() => shared.delete(key));
    return packed;
  }

  return {
    async onResponse({ request, response, serverContext, setResponse, fetchAPI }) {
      const { headers } = response;
      if (!isText.test(headers.get('Content-Type') ?? '')) return;
      // The length of a compressed page that repeats its input could betray its secrets (BREACH).
      const mayCompress = !/^\/(connect|share)\b/.test(serverContext.req.url!);
      if (mayCompress) headers.append('Vary', 'Accept-Encoding');
      if (!response.body) return;
      const accepted = mayCompress ? request.headers.get('Accept-Encoding') : null;
      const chosen = chooseEncoding(accepted);
      const length = headers.get('Content-Length');
      if (length !== null && (!chosen || Number(length) < thresholdBytes)) return;
      const etag = headers.get('ETag');
      const { bytes, encoding } = await (etag === null
        ? pack(response, chosen)
        : packShared(`${etag} ${chosen}`, response, chosen));
      if (encoding !== undefined) headers.set('Content-Encoding', encoding);
      headers.set('Content-Length', String(bytes.length));
      setResponse(new fetchAPI.Response(bytes, response));
    },
  };
}

async function pack(response: Response, encoding: string | undefined): Promise<Packed> {
  const bytes = await response.bytes();
  if (!encoding || bytes.length < thresholdBytes) return { bytes };
  return { bytes: await encodings.get(encoding)!(bytes, { chunkSize: bytes.length }), encoding };
}

/** Undefined: the client prefers the text as it is. */
function chooseEncoding(accepted: string | null): string | undefined {
  if (accepted === null) return undefined;
  const given = new Map(parseAccept(accepted).map(({ type, q }) => [type.toLowerCase(), q]));
  const qualityOf = (name: string) => given.get(name) ?? given.get('*') ?? 0;
  const [best] = [...encodings.keys()].toSorted((a, b) => qualityOf(b) - qualityOf(a));
  const quality = qualityOf(best!);
  return quality > 0 && quality >= (given.get('identity') ?? 0) ? best : undefined;
}
