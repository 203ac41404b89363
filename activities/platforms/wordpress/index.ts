// WordPress: posts at a user's own site, over its REST API.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { wordpress } from '../../../schema/platforms/wordpress.ts';
import { isSuccess, type NetworkAnswer } from '../json-client.ts';
import { createApi } from '../network-api.ts';
import { goneIf, isThere } from '../platform-error.ts';
import type { Fetch, Platform, PublishedPost } from '../platform.ts';
import type { Explanation } from '../refusal.ts';
import { publishedAs } from '../results.ts';
import { createChoices } from './choices.ts';
import { ConnectInput, connectUser, inspectUser } from './connect.ts';
import { uploadNext } from './media.ts';
import { markOf, prepareTerms, TermExists, toEdit, toPost } from './post.ts';

const Post = z.object({
  id: z.int().positive(),
  link: z.url(),
  status: z.string().nullable().catch(null),
});
const raw = z.object({ raw: z.string() });
const Texts = z.object({ content: raw, title: raw, excerpt: raw });
const StoredPosts = z.array(Post.extend({ content: z.object({ raw: z.string() }) }));

const pathOf = ({ externalId }: Pick<PublishedPost, 'externalId'>) => `wp/v2/posts/${externalId}`;

/** The site's clock may be off by an hour, and its daylight saving time by another hour. */
const clockMarginMs = 2 * 3_600_000;
/** The most that WordPress lists at once. */
const pageSize = 100;

/**
 * The API is at `https://example.com/?rest_route=/`, which works without rewrite rules, unlike `/wp-json/`.
 * @see https://developer.wordpress.org/rest-api/using-the-rest-api/authentication/
 */
export function createWordPress({ fetch }: { fetch: Fetch }): Platform {
  const open = createApi(fetch, {
    network: 'WordPress',
    open({ api = '', username, application_password: password = '' }) {
      const login = Buffer.from(`${username}:${password}`).toString('base64');
      // A site may echo the password, with or without its spaces, or the header that contains it.
      const secrets = [password, password.replaceAll(' ', ''), login.replace(/=+$/, '')];
      return { url: api, headers: { authorization: `Basic ${login}` }, secrets };
    },
    isRefusal: (answer) => !isSuccess(answer) && !TermExists.safeParse(answer.body).success,
    readRefusal,
  });
  return {
    definition: wordpress,

    connect: [
      {
        kind: 'form',
        fields: ConnectInput,
        run: (credentials, signal) => connectUser(open, credentials, signal),
      },
    ],

    choices: createChoices(open),

    async prepare(target, signal) {
      const { credentials, state } = target;
      const ask = open(credentials, signal);
      const isFirst = Object.keys(state).length === 0;
      return uploadNext(ask, target, isFirst ? await prepareTerms(ask, target) : state);
    },

    async commit(target, signal) {
      const ask = open(target.credentials, signal);
      const query = { _fields: 'id,link,status' };
      const call = { kind: 'commit', query, json: toPost(target) } as const;
      const { body } = await ask('wp/v2/posts', Post, call);
      return toPublished(body);
    },

    /** Reads the user's own posts, since a plugin's search may miss the newest ones. */
    async reconcile({ resultId, externalAccountId, dueAt, credentials }, signal) {
      const query = {
        context: 'edit',
        author: externalAccountId.slice(0, externalAccountId.indexOf('@')),
        status: 'any,trash',
        after: new Date(dueAt.getTime() - clockMarginMs).toISOString(),
        orderby: 'date',
        order: 'asc',
        per_page: pageSize,
        _fields: 'id,link,status,content.raw',
      };
      const ask = open(credentials, signal);
      const { body: posts } = await ask('wp/v2/posts', StoredPosts, { query });
      const post = posts.find(({ content }) => content.raw.includes(markOf(resultId)));
      if (post) return toPublished(post);
      return { outcome: posts.length < pageSize ? 'absent' : 'unknown' };
    },

    /** @see https://developer.wordpress.org/rest-api/reference/application-passwords/ */
    async revoke({ credentials }, signal) {
      const ask = open(credentials, signal);
      const own = 'wp/v2/users/me/application-passwords';
      const { uuid } = (await ask(`${own}/introspect`, z.object({ uuid: z.uuid() }))).body;
      await ask(`${own}/${uuid}`, z.object({ deleted: z.literal(true) }), { method: 'DELETE' });
    },

    unpublish: {
      /** @see https://developer.wordpress.org/rest-api/reference/posts/#delete-a-post */
      async remove({ credentials, externalId }, signal) {
        const query = { force: 'true', _fields: 'deleted' };
        const deleted = z.object({ deleted: z.literal(true) });
        const call = { kind: 'commit', method: 'DELETE', query } as const;
        const asked = open(credentials, signal)(pathOf({ externalId }), deleted, call);
        await asked.catch(goneIf('rest_post_invalid_id'));
      },

      /** @see https://developer.wordpress.org/rest-api/reference/posts/#retrieve-a-post */
      exists({ credentials, externalId }, signal) {
        const call = { query: { _fields: 'id' } };
        const asked = open(credentials, signal)(pathOf({ externalId }), z.unknown(), call);
        return isThere(asked.catch(goneIf('rest_post_invalid_id')));
      },
    },

    edit: {
      /** @see https://developer.wordpress.org/rest-api/reference/posts/#update-a-post */
      async apply(post, signal) {
        const call = { kind: 'commit', query: { _fields: 'id' }, json: toEdit(post) } as const;
        const asked = open(post.credentials, signal)(pathOf(post), z.unknown(), call);
        await asked.catch(goneIf('rest_post_invalid_id'));
      },

      async isApplied(post, signal) {
        const call = { query: { context: 'edit', _fields: 'content.raw,title.raw,excerpt.raw' } };
        const asked = open(post.credentials, signal)(pathOf(post), Texts, call);
        const { body } = await asked.catch(goneIf('rest_post_invalid_id'));
        const { content, title, excerpt } = body;
        const found = { content: content.raw, title: title.raw, excerpt: excerpt.raw };
        return isDeepStrictEqual(found, toEdit(post));
      },
    },

    checks: {
      inspect: ({ credentials, externalAccountId }, signal) =>
        inspectUser(open(credentials, signal), externalAccountId),
    },
  };
}

/**
 * The visibility for each status. A person may have changed the status of a found post, for example to
 * `future` or `trash`.
 */
const visibilities = new Map<string | null, string>([
  ['publish', 'public'],
  ['private', 'private'],
  ['pending', 'draft'],
  ['draft', 'draft'],
]);

const toPublished = ({ id, link, status }: z.infer<typeof Post>) =>
  publishedAs(String(id), link, visibilities.get(status) ?? null);

/** @see https://developer.wordpress.org/reference/functions/rest_convert_error_to_response/ */
const WpError = z.object({ code: z.string(), message: z.string() });
const ForbiddenStatus = z.object({
  data: z.object({
    details: z.object({ status: z.object({ code: z.literal('rest_forbidden_status') }) }),
  }),
});

function readRefusal({ status, body }: NetworkAnswer): Explanation {
  const { code, message } = WpError.safeParse(body).data ?? {};
  if (code === undefined) {
    const foreign =
      status === 413
        ? 'HTTP 413, not from WordPress: the file is larger than the web server allows.'
        : `HTTP ${status}, not from WordPress. A firewall may have answered.`;
    if (status >= 500) return {};
    return { message: foreign, meaning: status === 401 ? 'rejected' : undefined };
  }
  // With a wrong password, WordPress treats the user as a visitor.
  const isVisitor = status === 401 || ForbiddenStatus.safeParse(body).success;
  // WordPress refuses a file with status 500.
  const isUpload = code.startsWith('rest_upload_');
  const meaning = isVisitor ? 'revoked' : isUpload ? 'rejected' : undefined;
  const words = message?.replaceAll(/<[^<>]*>/g, '');
  const hint =
    code === 'rest_upload_no_data' ? ' The file may exceed the post_max_size of PHP.' : '';
  return { code, message: words && `${words}${hint}`, meaning };
}
