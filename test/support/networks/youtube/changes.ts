// Edits and removals of videos at the simulated YouTube.
// By https://developers.google.com/youtube/data/reference/rest/v3/videos/update and
// https://developers.google.com/youtube/data/reference/rest/v3/videos/delete, read on 2026-11-27.
import { z } from 'zod';
import type { Route } from '../strict-requests.ts';
import { readQuery } from './query.ts';
import { badRequest, notFound } from './refusals.ts';
import { EditedSnippet, EditedStatus, readBody, type Metadata } from './uploads.ts';

const alt = z.literal('json').optional();
const UpdateQuery = z.strictObject({ part: z.enum(['snippet', 'snippet,status']), alt });
const DeleteQuery = z.strictObject({ id: z.string().min(1), alt });
const Update = z.strictObject({
  id: z.string(),
  snippet: EditedSnippet,
  status: EditedStatus.optional(),
});

interface Settings<V> {
  /** YouTube makes every video private. */
  isForcedPrivate(): boolean;
  check(request: Request, ...scopes: string[]): void;
  videos: V[];
  show(video: V, parts: readonly string[]): unknown;
}

export function createChanges<V extends { id: string; metadata: Metadata; privacyStatus: string }>({
  isForcedPrivate,
  check,
  videos,
  show,
}: Settings<V>): Route[] {
  function indexOf(id: string): number {
    const index = videos.findIndex((video) => video.id === id);
    if (index === -1) throw notFound('videoNotFound', 'video');
    return index;
  }

  /** Values that the request doesn't name are removed. */
  async function update(request: Request): Promise<Response> {
    check(request, 'youtube');
    const { part } = readQuery(request, UpdateQuery);
    const parts = part.split(',');
    const { id, snippet, status } = readBody(Update, await request.json().catch(() => undefined));
    // A part that the request doesn't name stays, whatever its body says.
    const isStatusNamed = parts.includes('status');
    if (isStatusNamed && status?.publishAt && status.privacyStatus !== 'private') {
      throw badRequest(
        'A video that is not private has no time of publication.',
        'invalidPublishAt',
      );
    }
    const video = videos[indexOf(id)]!;
    video.metadata = { snippet, status: isStatusNamed ? (status ?? {}) : video.metadata.status };
    if (isStatusNamed) {
      video.privacyStatus = isForcedPrivate() ? 'private' : (status?.privacyStatus ?? 'public');
    }
    return Response.json(show(video, parts));
  }

  function remove(request: Request): Response {
    check(request, 'youtube');
    const { id } = readQuery(request, DeleteQuery);
    videos.splice(indexOf(id), 1);
    return new Response(null, { status: 204 });
  }

  const path = /^\/youtube\/v3\/videos$/;
  return [
    { method: 'PUT', path, handle: update },
    { method: 'DELETE', path, handle: remove },
  ];
}
