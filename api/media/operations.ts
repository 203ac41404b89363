// Operations on media: create for an upload, renew its URL, read, delete.
import { findProjectRoom } from '../../activities/media/project-room.ts';
import { removeBytes } from '../../activities/media/segments.ts';
import {
  getMediaRow,
  insertUpload,
  listMediaById,
  listMediaRows,
  lockMedia,
  markDeleted,
  renewUpload,
} from '../../schema/database/media/rows.ts';
import { findUnfinishedPost } from '../../schema/database/media/uses.ts';
import type { MediaRow } from '../../schema/database/tables.ts';
import {
  Media,
  type CreateMedia,
  type ListMedia,
  type UploadableMedia,
} from '../../schema/media.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { Page } from '../../schema/wire/listing.ts';
import { present } from '../../schema/wire/present.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import { newLinkToken } from '../http/auth/api-keys.ts';
import type { Caller, Context } from '../http/context.ts';
import { byIds, page } from '../http/listing.ts';
import { transact, type Answer } from '../http/transact.ts';
import { checkSize, fullProject, requireStorage, uploadRefused } from './limits.ts';

export async function createMedia(
  context: Context,
  caller: Caller,
  input: CreateMedia,
): Promise<Answer<UploadableMedia>> {
  const storage = requireStorage(context);
  const { size_bytes: bytes = 0, content_hash: hash } = input;
  checkSize(storage, bytes);
  const project = { project_id: caller.projectId, received_bytes: 0 };
  if (bytes > (await findProjectRoom(context.db, storage, project))) throw fullProject(storage);
  const { token, hash: tokenHash } = newLinkToken();
  return transact(context, caller, async ({ trx, change }) => {
    const row = await insertUpload(trx, caller, {
      id: newId('media'),
      filename: input.filename,
      content_type: input.content_type,
      declared_bytes: input.size_bytes ?? null,
      declared_hash: hash?.slice(-64).toLowerCase() ?? null,
      upload_token_hash: tokenHash,
    });
    change({ subject: 'media', subject_id: row.id, kind: 'created' });
    return { status: 201, data: withUploadUrl(context, row, token), isSecret: true };
  });
}

export async function getMedia({ db }: Context, caller: Caller, id: string): Promise<Media> {
  return presentMedia(await getMediaRow(db, caller, id));
}

export function listMedia(
  { db }: Context,
  caller: Caller,
  { status, ...paging }: ListMedia,
): Promise<Page<Media>> {
  return page(
    'media',
    paging,
    (slice) => listMediaRows(db, caller, { status }, slice),
    (rows) => rows.map(presentMedia),
  );
}

export const findMediaFiles = byIds(listMediaById, presentMedia);

export async function renewMediaUploadUrl(
  context: Context,
  caller: Caller,
  id: string,
): Promise<Answer<UploadableMedia>> {
  const { token, hash } = newLinkToken();
  return transact(context, caller, async ({ trx }) => {
    const media = await lockMedia(trx, caller, id);
    requireStorage(context);
    if (media.status !== 'pending' || media.url !== null) throw uploadRefused(media);
    const row = await renewUpload(trx, caller.projectId, id, hash);
    return { status: 200, data: withUploadUrl(context, row, token), isSecret: true };
  });
}

/** The row stays, so that posts can still name it. */
export async function deleteMedia(
  context: Context,
  caller: Caller,
  id: string,
): Promise<Answer<null>> {
  const answer = await transact(context, caller, async ({ trx, change }) => {
    const { status, environment } = await lockMedia(trx, caller, id);
    requireStorage(context);
    if (status === 'deleted') return { status: 204, data: null };
    const post = await findUnfinishedPost(trx, caller.projectId, id);
    if (post) {
      const message = `The ${post.status} post ${post.id} uses the media.`;
      throw new AppError('conflict', message, {
        hint: 'Give the post other media, or delete or cancel it.',
        details: { media_status: status, post_id: post.id },
      });
    }
    await markDeleted(trx, caller.projectId, id);
    change({ subject: 'media', subject_id: id, kind: 'deleted', environment });
    return { status: 204, data: null };
  });
  // If this fails, retention removes the bytes later.
  await removeBytes({ db: context.db, store: requireStorage(context).store }, id).catch(
    (error: unknown) =>
      context.log.warn(
        { component: 'media', err: error, media_id: id },
        'the bytes of deleted media were not removed',
      ),
  );
  return answer;
}

/** Leaves out the upload URL. Only the operation that made the URL adds it. */
export function presentMedia(row: MediaRow): Media {
  return present(Media, {
    ...row,
    upload_url: null,
    expires_at: row.status === 'pending' ? row.upload_expires_at : null,
    size_bytes: row.size_bytes ?? row.declared_bytes,
  });
}

function withUploadUrl({ publicUrl }: Context, row: MediaRow, token: string): UploadableMedia {
  return {
    ...presentMedia(row),
    upload_url: `${publicUrl}/uploads/${row.id}?token=${token}`,
    expires_at: toTimestamp(row.upload_expires_at!),
  };
}
