// The text of a video, as YouTube takes it.
import type { z } from 'zod';
import type { youtube } from '../../../schema/platforms/youtube.ts';

/** Options that the post doesn't set are left out. @see https://developers.google.com/youtube/v3/docs/videos */
export function toSnippet(
  caption: string,
  { title, tags, category_id }: z.infer<(typeof youtube)['options']>,
) {
  return {
    title: title.toWellFormed(),
    description: caption.toWellFormed(),
    ...(tags && { tags: tags.map((tag) => tag.toWellFormed()) }),
    ...(category_id !== undefined && { categoryId: category_id }),
  };
}
