// Bluesky: its settings, its rules and the options of a post.
import { z } from 'zod';
import { baseUrl } from './variables.ts';
import { definePlatform, type PlatformRules, type Traits } from './definition.ts';
import { LinkThumb } from './options/link-thumb.ts';

const imageTypes = ['image/jpeg', 'image/png', 'image/webp'] as const;
const maxPictureBytes = 1_000_000;
const maxVideoBytes = 300_000_000;
/** Bluesky's lexicon limits neither titles nor descriptions. */
const maxTitleLength = 300;
const maxDescriptionLength = 1_000;

const link = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .meta({ description: 'URL of the page.' }),
    title: z.string().min(1).max(maxTitleLength).optional().meta({
      description: 'Title of the card. Default: the host of the URL.',
    }),
    description: z.string().max(maxDescriptionLength).optional().meta({
      description: 'Text below the title.',
    }),
    thumb: LinkThumb.optional(),
  })
  .meta({
    description: `Page to show as a card. Its picture has at most ${maxPictureBytes.toLocaleString('en-US')} bytes.`,
    'x-no-default': true,
  });

const options = z
  .strictObject({
    link: link.optional(),
    langs: z
      .array(z.string().max(64).refine(isLanguage, 'must be a BCP 47 language tag'))
      .max(3)
      .optional()
      .meta({ description: 'Languages of the text, such as `en` or `pt-BR`.' }),
    tags: z
      .array(
        z
          .string()
          .regex(/^[^#\s]\S*$/u, 'must be a tag without #')
          .max(64),
      )
      .max(8)
      .optional()
      .meta({ description: 'Hashtags in addition to those in the text, without #.' }),
  })
  .meta({ id: 'BlueskyOptions', description: 'Options of a post to Bluesky.' });

export const bluesky = definePlatform({
  name: 'bluesky',
  title: 'Bluesky',
  settings: {
    apiUrl: baseUrl(
      'PDS or entryway for Bluesky logins, besides the PDS of the account. It also resolves handles that end in `.test`.',
      'https://bsky.social',
    ),
    plcUrl: baseUrl('Directory of the DIDs of Bluesky accounts.', 'https://plc.directory'),
    videoUrl: baseUrl(
      "Video service that takes the videos of accounts on Bluesky's own servers.",
      'https://video.bsky.app',
    ),
    // https://docs.bsky.app/docs/advanced-guides/entryway
    hostedDomain: z
      .string()
      .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a domain')
      .default('host.bsky.network')
      .meta({ description: "Domain of Bluesky's own servers." }),
  },
  rules: rulesFor({}),
  rulesFor,
  options,
  trialPost: { seenBy: 'everyone for a few seconds' },
  // Fanfare chooses the record's key, so a repeat overwrites the same record.
  commitRepeatsForMs: Number.POSITIVE_INFINITY,
});

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/**
 * `blob_upload_limit`: the bytes of a file that the account's server takes. `video_service`: videos don't go to
 * the server, but to Bluesky's video service.
 */
function rulesFor({ blob_upload_limit = Infinity, video_service = false }: Traits) {
  const within = (bytes: number) => Math.min(bytes, Number(blob_upload_limit));
  return {
    text: { max: 300, maxBytes: 3000, unit: 'graphemes' },
    isTextRequired: true,
    media: {
      max: 10,
      canMix: false,
      // The lexicons of app.bsky.embed.gallery, app.bsky.embed.video and app.bsky.embed.external. A gallery may
      // have 20 items, but its lexicon tells clients to offer 10.
      image: { max: 10, types: imageTypes, maxBytes: within(2_000_000) },
      // Bluesky's app takes 10 minutes: src/lib/constants.ts of bluesky-social/social-app.
      video: {
        max: 1,
        types: ['video/mp4'],
        maxBytes: video_service ? maxVideoBytes : within(maxVideoBytes),
        maxDurationMs: 600_000,
      },
      linkCard: { max: 1, types: imageTypes, maxBytes: within(maxPictureBytes) },
      // The lexicons don't limit alt texts. This is the limit of Bluesky's app.
      altText: 2_000,
    },
    replies: {
      id: /^at:\/\/did:[a-z]+:[a-z0-9._:%-]+\/app\.bsky\.feed\.post\/[A-Za-z0-9._~:-]{1,512}$/,
      example: 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.post/3l6oveex3ii2l',
    },
    source: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json',
  } as const satisfies PlatformRules;
}
