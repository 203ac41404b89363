// WordPress: posts at a user's own site, over its REST API.
import { z } from 'zod';
import { wordpress } from '../../../schema/platforms/wordpress.ts';
import type { Fetch, Platform } from '../platform.ts';
import { createClient } from './client.ts';
import { ConnectInput, connectUser } from './connect.ts';
import { markOf, prepareTerms, toPost } from './post.ts';

const path = 'wp/v2/posts';
const Post = z.object({ id: z.int().positive(), link: z.url() });
const StoredPosts = z.array(Post.extend({ content: z.object({ raw: z.string() }) }));

/** The site's clock and its summer time may be off by an hour each. */
const clockMarginMs = 2 * 3_600_000;
/** The most that WordPress lists at once. */
const pageSize = 100;

export function createWordPress({ fetch }: { fetch: Fetch }): Platform {
  const client = createClient(fetch);
  return {
    ...wordpress,

    connect: {
      credentials: ConnectInput,
      run: (credentials, signal) => connectUser(client, credentials, signal),
    },

    prepare: (target, signal) => prepareTerms(client, target, signal),

    async commit(target, signal) {
      const { credentials } = target;
      const query = { _fields: 'id,link' };
      const call = { credentials, path, query, json: toPost(target), signal };
      const post = await client.ask({ ...call, kind: 'commit' }, Post);
      return { outcome: 'published', published: toPublished(post) };
    },

    /** Reads the user's own posts: a search may be a plugin's, which doesn't know the newest. */
    async reconcile({ resultId, externalAccountId, dueAt, credentials }, signal) {
      const query = {
        context: 'edit',
        author: externalAccountId.slice(0, externalAccountId.indexOf('@')),
        status: 'any,trash',
        after: new Date(dueAt.getTime() - clockMarginMs).toISOString(),
        orderby: 'date',
        order: 'asc',
        per_page: String(pageSize),
        _fields: 'id,link,content.raw',
      };
      const posts = await client.ask({ credentials, path, query, signal }, StoredPosts);
      const post = posts.find(({ content }) => content.raw.includes(markOf(resultId)));
      if (post) return { outcome: 'published', published: toPublished(post) };
      return { outcome: posts.length < pageSize ? 'absent' : 'unknown' };
    },

    /** @see https://developer.wordpress.org/rest-api/reference/application-passwords/ */
    async revoke(credentials, signal) {
      const own = 'wp/v2/users/me/application-passwords';
      const introspection = { credentials, path: `${own}/introspect`, signal };
      const { uuid } = await client.ask(introspection, z.object({ uuid: z.uuid() }));
      const call = { credentials, path: `${own}/${uuid}`, method: 'DELETE', signal } as const;
      await client.ask(call, z.object({ deleted: z.literal(true) }));
    },
  };
}

const toPublished = ({ id, link }: z.infer<typeof Post>) => ({ externalId: String(id), url: link });
