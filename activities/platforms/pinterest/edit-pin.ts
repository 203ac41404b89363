// Edits a pin, and compares it with the wanted content. What the edit doesn't change stays as it is at Pinterest.
import { z } from 'zod';
import { toComparable } from '../lost-posts.ts';
import type { Ask } from '../network-api.ts';
import { goneIf } from '../platform-error.ts';
import type { EditedPost } from '../platform.ts';
import { unknownPin } from './api.ts';
import { toComparableLink } from './find-pin.ts';
import { readOptions, textsOf } from './pin.ts';

const text = z.string().nullish();
/** https://developers.pinterest.com/docs/api/v5/pins-get */
const Found = z.object({
  description: text,
  alt_text: text,
  title: text,
  link: text,
  board_id: text,
  board_section_id: text,
});
type Field = keyof z.infer<typeof Found>;

export const pathOf = (id: string) => `/pins/${id}`;

/** https://developers.pinterest.com/docs/api/v5/pins-update */
export async function editPin(ask: Ask, post: EditedPost): Promise<void> {
  const json = Object.fromEntries(toChanges(post));
  const call = { kind: 'commit', method: 'PATCH', json } as const;
  await ask(pathOf(post.externalId), z.unknown(), call).catch(goneIf(unknownPin));
}

export async function isEdited(ask: Ask, post: EditedPost): Promise<boolean> {
  const { body: pin } = await ask(pathOf(post.externalId), Found).catch(goneIf(unknownPin));
  return toChanges(post).every(([field, value]) =>
    field === 'link'
      ? toComparableLink(pin.link) === toComparableLink(value)
      : toComparable(pin[field] ?? '') === toComparable(value ?? ''),
  );
}

/** The fields that the edit changes. Null: the pin is to have none. */
function toChanges(post: EditedPost): [Field, string | null][] {
  const { changed, caption, altTexts } = post;
  const options = readOptions(post);
  const media = altTexts.map((altText) => ({ altText }));
  const { board_id, board_section_id } = options;
  const wanted = { ...textsOf({ caption, media }, options), board_id, board_section_id };
  const given = Object.keys(changed.platform_options ?? {});
  const fields: Record<Field, boolean> = {
    description: changed.caption !== undefined,
    alt_text: changed.alt_texts !== undefined,
    title: given.includes('title'),
    link: given.includes('link'),
    board_id: given.includes('board_id'),
    // A section belongs to one board.
    board_section_id: given.includes('board_id') || given.includes('board_section_id'),
  };
  return (Object.keys(fields) as Field[])
    .filter((field) => fields[field])
    .map((field) => [field, wanted[field] ?? null]);
}
