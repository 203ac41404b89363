// Edits a status, which replaces its whole content, and compares it with the wanted content.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Ask } from '../network-api.ts';
import { goneIf } from '../platform-error.ts';
import type { PublishedPost } from '../platform.ts';

export const pathOf = (id: string) => `/api/v1/statuses/${encodeURIComponent(id)}`;

const Edited = z.object({
  sensitive: z.boolean().default(false),
  media_attachments: z
    .array(z.object({ id: z.string(), description: z.string().nullish() }))
    .default([]),
});
/** @see https://docs.joinmastodon.org/entities/StatusSource/ */
const Source = z.object({ text: z.string(), spoiler_text: z.string() });

const readStatus = async (ask: Ask, { externalId }: PublishedPost) =>
  (await ask(pathOf(externalId), Edited).catch(goneIf('404'))).body;

/**
 * The media that an edit doesn't name are removed, so all of them are named.
 * @see https://docs.joinmastodon.org/methods/statuses/#edit
 */
export async function editStatus(ask: Ask, post: PublishedPost): Promise<void> {
  const { caption, altTexts, platformOptions, externalId } = post;
  const { spoiler_text = '', sensitive, language } = platformOptions;
  const ids = (await readStatus(ask, post)).media_attachments.map(({ id }) => id);
  const json = {
    status: caption.toWellFormed(),
    spoiler_text,
    // A content warning hides the media, too.
    sensitive: sensitive ?? spoiler_text !== '',
    language,
    ...(ids.length > 0 && {
      media_ids: ids,
      media_attributes: ids.map((id, i) => ({ id, description: altTexts[i] ?? '' })),
    }),
  };
  const call = { kind: 'commit', method: 'PUT', json } as const;
  await ask(pathOf(externalId), z.unknown(), call).catch(goneIf('404'));
}

export async function isEdited(ask: Ask, post: PublishedPost): Promise<boolean> {
  const { spoiler_text: warning = '', sensitive } = post.platformOptions;
  const { media_attachments: media, ...status } = await readStatus(ask, post);
  const { text, spoiler_text } = (
    await ask(`${pathOf(post.externalId)}/source`, Source).catch(goneIf('404'))
  ).body;
  const found = [
    text,
    spoiler_text,
    status.sensitive,
    ...media.map((file) => file.description || null),
  ];
  const wanted = [
    post.caption.toWellFormed(),
    warning,
    sensitive ?? warning !== '',
    ...post.altTexts.slice(0, media.length),
  ];
  return isDeepStrictEqual(found, wanted);
}
