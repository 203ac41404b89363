// The posts of a profile as choices of a post to quote.
import { z } from 'zod';
import { GraphId } from '../meta/ids.ts';
import type { OpenApi } from '../network-api.ts';
import type { Choice, ReadChoices } from '../platform.ts';

/** https://developers.facebook.com/docs/threads/retrieve-and-discover-posts/retrieve-posts */
const Listed = z.object({
  id: GraphId,
  media_type: z.string().optional(),
  text: z.string().default(''),
  permalink: z.string().optional(),
  timestamp: z.string().optional(),
});
type Listed = z.infer<typeof Listed>;
const Page = z.object({
  data: z.array(Listed),
  paging: z.object({ cursors: z.object({ after: z.string().optional() }).optional() }).optional(),
});

const pageSize = 100;

/** Newest first, without replies. */
export function createChoices(open: OpenApi): Readonly<Record<string, ReadChoices>> {
  return {
    async post({ credentials }, after, signal) {
      const ask = open(credentials, signal);
      const fields = 'id,media_type,text,permalink,timestamp';
      const { body } = await ask('/me/threads', Page, {
        query: { fields, limit: pageSize, after },
      });
      const next = body.data.length === 0 ? undefined : body.paging?.cursors?.after;
      // A repost has no text of its own.
      const posts = body.data.filter(({ media_type: type }) => type !== 'REPOST_FACADE');
      return { choices: posts.map(toChoice), next };
    },
  };
}

const kinds = new Map([
  ['IMAGE', 'Image'],
  ['VIDEO', 'Video'],
  ['CAROUSEL_ALBUM', 'Carousel'],
]);

const toChoice = ({ id, media_type: type = '', text, permalink, timestamp }: Listed): Choice => ({
  id,
  name: text.trim() === '' ? (kinds.get(type) ?? 'Post without text') : text,
  description: timestamp && `Published at ${timestamp}.`,
  url: permalink,
});
