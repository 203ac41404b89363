// Serves the images and videos of the sandbox's posts, whole or in ranges.
import { Hono } from 'hono';
import { findSandboxMedia } from '../../schema/database/sandbox.ts';
import type { Db } from '../../schema/database/tables.ts';
import { frameHeaders } from '../http/pages/page.ts';
import { openMedia } from './media.ts';
import { Refusal } from './refusal.ts';
import { isSandboxId } from './values.ts';

/** Clients may cache media as long as the sandbox keeps them. */
const cacheS = 7 * 86_400;

export function createMediaFiles({ db }: { db: Db }): Hono {
  const app = new Hono();

  app.get('/:id', async (c) => {
    const id = c.req.param('id');
    const media = isSandboxId(id) ? await findSandboxMedia(db, id) : undefined;
    if (!media?.is_complete) throw new Refusal(404, 'not_found', 'The sandbox has no such media.');
    const { bytes } = media;
    const etag = `"${id}"`;
    const headers = {
      'Content-Type': media.content_type,
      'Accept-Ranges': 'bytes',
      'Cache-Control': `public, max-age=${cacheS}, immutable`,
      ETag: etag,
      ...frameHeaders,
    };
    if (c.req.header('If-None-Match') === etag) return new Response(null, { status: 304, headers });
    const isSame = (c.req.header('If-Range') ?? etag) === etag;
    const range = isSame ? readRange(c.req.header('Range'), bytes) : undefined;
    if (!range) {
      return new Response(openMedia(db, id, { start: 0, end: bytes - 1 }), {
        headers: { ...headers, 'Content-Length': String(bytes) },
      });
    }
    const { start, end } = range;
    if (start > end) {
      throw new Refusal(416, 'invalid_range', 'The file has no such bytes.', {
        'Content-Range': `bytes */${bytes}`,
      });
    }
    return new Response(openMedia(db, id, range), {
      status: 206,
      headers: {
        ...headers,
        'Content-Length': String(end - start + 1),
        'Content-Range': `bytes ${start}-${end}/${bytes}`,
      },
    });
  });

  return app;
}

/**
 * Undefined: the whole file is sent, also for several ranges. For a range beyond the file, `start` is after
 * `end`.
 */
function readRange(header: string | undefined, bytes: number) {
  const [match, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (match === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return { start: Math.max(0, bytes - Number(last)), end: bytes - 1 };
  const end = last === '' ? Infinity : Number(last);
  if (end < Number(first)) return undefined;
  return { start: Number(first), end: Math.min(end, bytes - 1) };
}
