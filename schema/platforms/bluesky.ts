// Bluesky: its settings, its rules and the options of a post.
import { z } from 'zod';
import { baseUrl } from './variables.ts';
import { definePlatform } from './definition.ts';

const options = z
  .strictObject({
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
  connectsBy: 'App password',
  testedWith: 'A real server (PDS)',
  settings: {
    apiUrl: baseUrl(
      'PDS or entryway for Bluesky logins, besides the PDS of the account. It also resolves handles that end in `.test`.',
      'https://bsky.social',
    ),
    plcUrl: baseUrl('Directory of the DIDs of Bluesky accounts.', 'https://plc.directory'),
  },
  rules: {
    text: { max: 300, maxBytes: 3000, unit: 'graphemes' },
    isTextRequired: true,
    media: null,
    replies: {
      id: /^at:\/\/did:[a-z]+:[a-z0-9._:%-]+\/app\.bsky\.feed\.post\/[A-Za-z0-9._~:-]{1,512}$/,
      example: 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.post/3l6oveex3ii2l',
    },
    source: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json',
  },
  options,
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
