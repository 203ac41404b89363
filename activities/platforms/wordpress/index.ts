// WordPress: posts at a user's own site, over its REST API.
import { z } from 'zod';
import { wordpress } from '../../../schema/platforms/wordpress.ts';
import type { Fetch, Platform } from '../platform.ts';
import { createWordPressApi, toPath } from './client.ts';
import { ConnectInput, connectUser } from './connect.ts';
import { markOf, prepareTerms, toPost } from './post.ts';

const Post = z.object({ id: z.int().positive(), link: z.url() });
const StoredPosts = z.array(Post.extend({ content: z.object({ raw: z.string() }) }));

/** The site's clock and its summer time may be off by an hour each. */
const clockMarginMs = 2 * 3_600_000;
/** The most that WordPress lists at once. */
const pageSize = 100;

export function createWordPress({ fetch }: { fetch: Fetch }): Platform {
  const open = createWordPressApi(fetch);
  return {
    ...wordpress,

    connect: {
      credentials: ConnectInput,
      run: (credentials, signal) => connectUser(open, credentials, signal),
    },

    prepare: (target, signal) => prepareTerms(open(target.credentials, signal), target),

    async commit(target, signal) {
      const path = toPath('wp/v2/posts', { _fields: 'id,link' });
      const call = { kind: 'commit', json: toPost(target) } as const;
      const { body } = await open(target.credentials, signal)(path, Post, call);
      return { outcome: 'published', published: toPublished(body) };
    },

    /** Reads the user's own posts: a search may be a plugin's, which doesn't know the newest. */
    async reconcile({ resultId, externalAccountId, dueAt, credentials }, signal) {
      const path = toPath('wp/v2/posts', {
        context: 'edit',
        author: externalAccountId.slice(0, externalAccountId.indexOf('@')),
        status: 'any,trash',
        after: new Date(dueAt.getTime() - clockMarginMs).toISOString(),
        orderby: 'date',
        order: 'asc',
        per_page: String(pageSize),
        _fields: 'id,link,content.raw',
      });
      const { body: posts } = await open(credentials, signal)(path, StoredPosts);
      const post = posts.find(({ content }) => content.raw.includes(markOf(resultId)));
      if (post) return { outcome: 'published', published: toPublished(post) };
      return { outcome: posts.length < pageSize ? 'absent' : 'unknown' };
    },

    /** @see https://developer.wordpress.org/rest-api/reference/application-passwords/ */
    async revoke(credentials, signal) {
      const ask = open(credentials, signal);
      const own = 'wp/v2/users/me/application-passwords';
      const { uuid } = (await ask(`${own}/introspect`, z.object({ uuid: z.uuid() }))).body;
      await ask(`${own}/${uuid}`, z.object({ deleted: z.literal(true) }), { method: 'DELETE' });
    },
  };
}

const toPublished = ({ id, link }: z.infer<typeof Post>) => ({ externalId: String(id), url: link });
