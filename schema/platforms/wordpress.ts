// WordPress: its rules and the options of a post. It has no settings, since users name the site.
import { z } from 'zod';
import { fixedLimits } from '../wire/limits.ts';
import { definePlatform } from './definition.ts';

const optional = <T extends z.ZodType>(type: T, description: string) =>
  type.optional().meta({ description });
const text = (max: number) => z.string().trim().min(1).max(max);
const names = z.array(text(200).regex(/^[^<>]*$/, 'must be a name without < and >')).max(10);
// prettier-ignore
const formats = ['standard', 'aside', 'audio', 'chat', 'gallery', 'image', 'link', 'quote', 'status', 'video'] as const;
const statuses = ['publish', 'draft', 'pending', 'private'] as const;

/** The values are those of `wp/v2/posts`. */
const options = z
  .strictObject({
    title: optional(text(1_000), 'Title, as plain text. Default: no title.'),
    content_type: optional(
      z.enum(['text', 'html']),
      'How to read the caption. Default: `text`. WordPress removes HTML that the user is not allowed to write.',
    ).meta({
      'x-enumDescriptions': {
        text: 'blank lines separate paragraphs, and URLs become links',
        html: 'the caption is the HTML of the post',
      },
    }),
    slug: optional(
      text(200),
      'Last part of the URL. WordPress adds a number if that URL is taken. Default: made from the title.',
    ).meta({ 'x-no-default': true }),
    excerpt: optional(text(10_000), 'Summary, as plain text.'),
    categories: optional(
      names,
      "Names of existing categories. The ID of a choice of the kind `category` is such a name. Default: the site's default category.",
    ).meta({ 'x-choices': 'category' }),
    tags: optional(
      names,
      'Names of tags, such as choices of the kind `tag`. Fanfare creates tags that do not exist.',
    ).meta({ 'x-choices': 'tag' }),
    featured_media: optional(
      z.boolean(),
      'Whether the first image becomes the featured image, which the theme shows, instead of a part of the content. Default: true.',
    ),
    format: optional(z.enum(formats), 'Post format. Some themes ignore it.'),
    status: optional(z.enum(statuses), 'Who can see the post. Default: `publish`.').meta({
      'x-enumDescriptions': {
        publish: 'everyone',
        draft: 'its author and editors',
        pending: 'its author and editors, who review it',
        private: 'its author, editors and administrators',
      },
    }),
  })
  .meta({ id: 'WordPressOptions', description: 'Options of a post to WordPress.' });

/** WordPress has no limit. */
const maxMedia = 20;

export const wordpress = definePlatform({
  name: 'wordpress',
  title: 'WordPress',
  settings: {},
  rules: {
    // WordPress accepts 4 GiB (LONGTEXT). The limit is half of Fanfare's own limit for captions.
    text: { max: 50_000, unit: 'characters' },
    isTextRequired: true,
    // Each server has a size limit of its own. Not every server can read AVIF.
    media: {
      max: maxMedia,
      canMix: true,
      // https://developer.wordpress.org/reference/functions/wp_get_mime_types/
      image: { max: maxMedia, types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'] },
      video: {
        max: maxMedia,
        types: ['video/mp4', 'video/quicktime', 'video/webm'],
        hasThumbnail: true,
      },
      altText: fixedLimits.altTextCharacters,
    },
    replies: null,
    source: 'https://developer.wordpress.org/rest-api/reference/posts/#create-a-post',
  },
  options,
  choices: {
    category: 'Categories of the site.',
    tag: 'Tags of the site, the most used ones first.',
  },
  trialPost: { options: { status: 'draft' }, seenBy: 'its author and the editors of the site' },
  afterPublishing: {
    unpublish: { withinS: null, scopes: [], except: [] },
    edit: {
      fields: ['caption', 'platform_options.title', 'platform_options.excerpt'],
      withinS: null,
      scopes: [],
      except: ['Posts with media.'],
      refuse: ({ mediaCount }) =>
        mediaCount > 0 ? 'Fanfare edits only posts of WordPress without media.' : undefined,
    },
    byHand: 'Use the list of posts in wp-admin.',
    sources: {
      unpublish: 'https://developer.wordpress.org/rest-api/reference/posts/#delete-a-post',
      edit: 'https://developer.wordpress.org/rest-api/reference/posts/#update-a-post',
    },
  },
  commitRepeatsForMs: 0,
});
