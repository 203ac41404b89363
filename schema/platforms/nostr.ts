// Nostr: its rules and the options of a post.
import { z } from 'zod';
import { definePlatform } from './definition.ts';

/** All types that Fanfare can read, because the relays never see the files. */
const imageTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'];
const videoTypes = ['video/mp4', 'video/webm', 'video/quicktime'];
/** The protocol has no limit. Alt texts share `maxEventSize` with the text. */
const maxMedia = 10;

const hashtag = z
  .string()
  .max(64)
  .regex(/^[^#\s]+$/, 'must be a tag without #');

const options = z
  .strictObject({
    hashtags: z.array(hashtag).max(20).meta({ description: 'Hashtags, without #.' }),
    content_warning: z.string().min(1).max(200).meta({
      description:
        'Reason for a content warning. Apps show it instead of the post until the reader opens it.',
    }),
  })
  .partial()
  .meta({ id: 'NostrOptions', description: 'Options of a post to Nostr.' });

export const nostr = definePlatform({
  name: 'nostr',
  title: 'Nostr',
  settings: {},
  rules: {
    // Half of `maxEventSize`, because escaping can double the text. The protocol has no limit.
    text: { max: 32_000, maxBytes: 32_000, unit: 'characters' },
    isTextRequired: true,
    media: {
      max: maxMedia,
      canMix: true,
      image: { max: maxMedia, types: imageTypes },
      video: { max: maxMedia, types: videoTypes },
      altText: 1_000,
      needsUrl: true,
    },
    replies: {
      id: /^[0-9a-f]{64}$/,
      example: '5c83da77af1dec6d7289834998ad7aafbd9e2191396d75ec3cc27f5a77226f36',
    },
    source: 'https://github.com/hoytech/strfry/blob/master/strfry.conf',
  },
  options,
  afterPublishing: {
    unpublish: null,
    edit: null,
    byHand: 'An app of Nostr can ask relays to delete a note. Relays may ignore that.',
    sources: {
      unpublish: 'https://github.com/nostr-protocol/nips/blob/master/09.md',
      edit: 'https://github.com/nostr-protocol/nips/blob/master/01.md',
    },
  },
  // An event's id is the hash of its content, so a repeat sends the same event.
  commitRepeatsForMs: Number.POSITIVE_INFINITY,
});
