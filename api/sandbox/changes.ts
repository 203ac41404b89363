// Edits and removes posts of the sandbox, as the option `change_outcome` of the post says.
import { z } from 'zod';
import {
  findSandboxPost,
  insertSandboxRefusal,
  listSandboxMedia,
  setSandboxAltText,
  updateSandboxPost,
} from '../../schema/database/sandbox.ts';
import type { Db, SandboxGrantRow, SandboxPostRow } from '../../schema/database/tables.ts';
import {
  maxSandboxAltText,
  maxSandboxCaption,
  type SandboxChangeOutcome,
} from '../../schema/platforms/sandbox.ts';
import { hangUp, refuse, serverError, type SandboxRequest } from './posting.ts';
import { Refusal } from './refusal.ts';
import { isSandboxId, Storable } from './values.ts';

/** `alt_texts`: those of all media of the post, in their order. */
export const PostEdit = z.strictObject({
  caption: Storable.refine((caption) => Array.from(caption).length <= maxSandboxCaption, {
    message: `must have at most ${maxSandboxCaption} characters`,
  }),
  alt_texts: z.array(Storable.max(maxSandboxAltText).nullable()).optional(),
});
type PostEdit = z.infer<typeof PostEdit>;

/** Throws if the handle has no such post. */
export async function findOwnPost(
  db: Db,
  { handle }: SandboxGrantRow,
  id: string,
): Promise<SandboxPostRow> {
  const post = isSandboxId(id) ? await findSandboxPost(db, id) : undefined;
  if (post?.handle === handle) return post;
  throw new Refusal(404, 'unknown_post', 'This account has no such post on the sandbox.');
}

export const hidden = () =>
  new Refusal(503, 'unavailable', 'The sandbox was asked to hide this post.');

export async function changePost(
  db: Db,
  c: SandboxRequest,
  grant: SandboxGrantRow,
  id: string,
  change: (post: SandboxPostRow) => Promise<Response>,
): Promise<Response> {
  const post = await findOwnPost(db, grant, id);
  const outcome = await findOutcome(db, post);
  switch (outcome) {
    case null:
      return change(post);
    case 'answer_lost':
      await change(post);
      return hangUp(c);
    case 'server_error_after':
      await change(post);
      throw serverError();
    case 'hidden':
      await updateSandboxPost(db, id, { is_hidden: true });
      return hangUp(c);
    default:
      return refuse(db, c, grant, {}, outcome);
  }
}

/** Null: the change is made. */
async function findOutcome(
  db: Db,
  { id, change_outcome, change_times: times }: SandboxPostRow,
): Promise<SandboxChangeOutcome | null> {
  const outcome = change_outcome as SandboxChangeOutcome | null;
  if (outcome === null || times === null) return outcome;
  return (await insertSandboxRefusal(db, `change/${id}`)) <= times ? outcome : null;
}

export async function editPost(
  db: Db,
  { id, media }: SandboxPostRow,
  { caption, alt_texts: altTexts = [] }: PostEdit,
): Promise<void> {
  if (altTexts.length > media.length) {
    throw new Refusal(422, 'invalid_request', 'alt_texts: has more texts than the post has media');
  }
  await updateSandboxPost(db, id, { caption });
  for (const [i, altText] of altTexts.entries()) await setSandboxAltText(db, media[i]!, altText);
}

/** In the order of the media. */
export async function listAltTexts(db: Db, { media }: SandboxPostRow): Promise<(string | null)[]> {
  const rows = new Map((await listSandboxMedia(db, media)).map((row) => [row.id, row]));
  return media.map((id) => rows.get(id)?.alt_text ?? null);
}
