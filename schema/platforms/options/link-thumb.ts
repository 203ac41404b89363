// The option `link.thumb`: the picture of a link card.
import { z } from 'zod';

export const LinkThumb = z
  .strictObject({
    id: z.string().min(1).optional().meta({
      description: 'ID of an uploaded image. Use this or `url`.',
    }),
    url: z.string().optional().meta({
      description:
        'Absolute HTTP or HTTPS URL of the image. Fanfare fetches it once, when the post is accepted.',
    }),
  })
  .meta({
    description:
      'Picture of the card. The target then has no other media. Default: the only image of the post, if it has one.',
  });
export type LinkThumb = z.infer<typeof LinkThumb>;

type Options = Record<string, unknown>;

const WithThumb = z.object({ link: z.object({ thumb: LinkThumb }) });

/** Undefined: the options have none, or an invalid one. */
export function findLinkThumb(options: Options | undefined): LinkThumb | undefined {
  return WithThumb.safeParse(options).data?.link.thumb;
}

/** Replaces the thumb of options that have one. Undefined: removes it. */
export function withLinkThumb(options: Options, thumb: LinkThumb | undefined): Options {
  const { thumb: _, ...link } = options['link'] as Options;
  return { ...options, link: thumb ? { ...link, thumb } : link };
}
