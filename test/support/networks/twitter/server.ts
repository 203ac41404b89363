// X's API v2 with one account, as its documents and its OpenAPI description 2.167 say, read on 2026-11-22:
// https://docs.x.com/x-api/posts/manage-tweets/introduction, https://docs.x.com/x-api/users/get-posts,
// https://docs.x.com/x-api/fundamentals/response-codes-and-errors. Refusals without a type are as X's users
// report them. It refuses fields and parameters that Fanfare has no use for.
import twitterText from 'twitter-text';
import { z } from 'zod';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';
import { dispatch, readJson, Refusal, type Route } from '../strict-requests.ts';
import { createLogin, refuseToken } from './login.ts';
import { createMedia, type XMedia } from './media.ts';
import { forbidden, invalid, named, plain, Problem } from './problem.ts';

const id = z.string().regex(/^\d{1,19}$/);
const NewPost = z.strictObject({
  text: z.string().min(1).optional(),
  reply_settings: z.enum(['following', 'mentionedUsers', 'subscribers', 'verified']).optional(),
  poll: z
    .strictObject({
      options: z.array(z.string().min(1).max(25)).min(2).max(4),
      duration_minutes: z.int().min(5).max(10_080),
    })
    .optional(),
  made_with_ai: z.boolean().optional(),
  paid_partnership: z.boolean().optional(),
  media: z.strictObject({ media_ids: z.array(id).min(1).max(4) }).optional(),
  reply: z.strictObject({ in_reply_to_tweet_id: id }).optional(),
});

const words = (...allowed: string[]) =>
  z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(z.enum(allowed)));
const Timeline = z.strictObject({
  max_results: z.coerce.number().int().min(5).max(100),
  start_time: z.iso.datetime({ precision: 0 }),
  exclude: words('replies', 'retweets').optional(),
  'post.fields': words('attachments', 'entities', 'note_post', 'referenced_posts').optional(),
  'tweet.fields': words('attachments', 'entities', 'note_tweet', 'referenced_tweets').optional(),
});

export interface XPost {
  id: string;
  /** The text as it was sent. */
  text: string;
  createdAtMs: number;
  replyTo: string | null;
  /** Somebody else wrote the post. Absent: the account wrote it. */
  isOfStranger?: true;
  media: XMedia[];
  options: Pick<
    z.infer<typeof NewPost>,
    'reply_settings' | 'poll' | 'made_with_ai' | 'paid_partnership'
  >;
}

export type TwitterServer = ReturnType<typeof createTwitterServer>;

export function createTwitterServer() {
  const login = createLogin();
  let lastId = 1_880_000_000_000_000_000n;
  const newId = () => String(++lastId);
  const media = createMedia({ check: login.check, newId });
  const account = { id: newId(), username: 'ada_l', name: 'Ada', subscription_type: 'None' };
  const posts: XPost[] = [];
  const calls: string[] = [];

  const server = {
    account,
    posts,
    media,
    login,
    /** The requests, without their queries. */
    calls,
    /** Every request with its body. */
    requests: [] as Request[],
    /** Headers that the next answers have. */
    limits: {} as Record<string, string>,
    /** Replaces the answer to the next request. */
    nextAnswer: undefined as Response | undefined,
    /** Answers a request instead of X, if it returns an answer. */
    intercept: (_request: Request): Response | undefined => undefined,
    /**
     * The name of a post that the server knows in queries: `post` is in its OpenAPI description, and `tweet`
     * in its guides.
     */
    knows: 'post' as 'post' | 'tweet',
    /** Maximum number of posts on a page. */
    maxPage: 100,
    /** X shows the destination of a URL in its own form. */
    expand: (url: string) => (/^https?:/.test(url) ? url : `http://${url}`),
    /** Adds a post of the account that was made elsewhere. */
    addPost,
    answer,
    refuse,
    expireToken: () => login.grants.expireAll(),
    revokeToken: () => login.grants.revokeAll(),
    listPosts: (): PublicPost[] => posts.map((post) => toPublic(post)),
  } satisfies NetworkServer & Record<string, unknown>;

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    calls.push(`${request.method} ${pathname}`);
    server.requests.push(request.clone());
    const scripted = server.nextAnswer ?? server.intercept(request);
    server.nextAnswer = undefined;
    if (scripted) return scripted;
    const response = await dispatch(routes, request);
    for (const [name, value] of Object.entries(server.limits)) response.headers.set(name, value);
    return response;
  }

  function addPost(post: Partial<XPost> & Pick<XPost, 'text'>): XPost {
    const empty = { createdAtMs: Date.now(), replyTo: null, media: [], options: {} };
    const made = { ...empty, ...post, id: newId() };
    posts.push(made);
    return made;
  }

  const toPublic = ({ id, text, replyTo, media: attached, options }: XPost): PublicPost => ({
    id,
    text,
    replyTo,
    options,
    ...(attached.length > 0 && { media: attached.map((each) => media.shaOf(each.id)) }),
  });

  /** X answers every unreadable request with 400. */
  const ofApi =
    (handle: Route['handle']): Route['handle'] =>
    async (request, params) => {
      try {
        return await handle(request, params);
      } catch (error) {
        if (error instanceof Refusal && !(error instanceof Problem)) throw invalid(error.message);
        throw error;
      }
    };

  async function createPost(request: Request): Promise<Response> {
    login.check(request, 'tweet.read', 'tweet.write', 'users.read');
    const given = await readJson(request, NewPost);
    const { text = '', media: attached, reply, ...options } = given;
    if (text === '' && !attached) throw invalid('text or media is required.');
    if (options.poll && attached) {
      throw invalid(
        'You can only provide one of poll or quote_tweet_id or direct_message_deep_link or media or card_uri.',
      );
    }
    const most = ['Premium', 'PremiumPlus'].includes(account.subscription_type) ? 25_000 : 280;
    if (twitterText.parseTweet(text).weightedLength > most) {
      throw forbidden('Tweet needs to be a bit shorter.');
    }
    const replyTo = reply?.in_reply_to_tweet_id ?? null;
    const answered = posts.find((post) => post.id === replyTo);
    if (replyTo !== null && !answered) {
      throw forbidden('You attempted to reply to a Tweet that is deleted or not visible to you.');
    }
    // https://docs.x.com/x-api/posts/manage-tweets/integrate#post-creation-restrictions-self-serve
    if (answered?.isOfStranger && !answered.text.includes(`@${account.username}`)) {
      throw forbidden('You were not mentioned by the author of the post.');
    }
    const equal = posts.some((post) => post.text === text.trim() && post.replyTo === replyTo);
    if (equal && !attached) {
      throw forbidden('You are not allowed to create a Tweet with duplicate content.');
    }
    const ready = media.checkReady(attached?.media_ids ?? []);
    const post = addPost({ text: text.trim(), replyTo, media: ready, options });
    const { text: shown } = toText(post);
    return Response.json({ data: { id: post.id, text: shown } }, { status: 201 });
  }

  /** The text as X shows it: shortened URLs, the URL of the media, and HTML entities. */
  function toText({ id, text, media: attached }: XPost) {
    const urls: Record<string, unknown>[] = [];
    const shorten = (expanded: string, more = {}) => {
      const url = `https://t.co/${String(urls.length)}abcdefghi`;
      urls.push({ url, expanded_url: expanded, ...more });
      return url;
    };
    const composed = text.normalize();
    const found = twitterText.extractUrlsWithIndices(composed);
    const short = found.toReversed().reduce((rest, { url, indices: [start, end] }) => {
      return `${rest.slice(0, start)}${shorten(server.expand(url))}${rest.slice(end)}`;
    }, composed);
    const page = `https://x.com/${account.username}/status/${id}/photo/1`;
    const [first] = attached;
    const whole = first ? `${short} ${shorten(page, { media_key: first.key })}`.trim() : short;
    return { text: escape(whole), urls };
  }

  function listPosts(request: Request, userId: string): Response {
    login.check(request, 'tweet.read', 'users.read');
    if (userId !== account.id) {
      throw named(404, 'resource-not-found', 'Not Found Error', 'Could not find the user.');
    }
    const given = Timeline.safeParse(
      Object.fromEntries(new URL(request.url).searchParams.entries()),
    );
    if (!given.success) throw invalid(z.prettifyError(given.error));
    const other = server.knows === 'post' ? 'tweet.fields' : 'post.fields';
    if (given.data[other]) {
      throw invalid(`The query parameter [${other}] is not one of [id,max_results,start_time]`);
    }
    const fields = given.data[`${server.knows}.fields`] ?? [];
    const since = Date.parse(given.data.start_time);
    const found = posts.filter(({ createdAtMs }) => createdAtMs >= since).toReversed();
    const page = found.slice(0, Math.min(given.data.max_results, server.maxPage));
    const more = found.length > page.length ? { next_token: 'next' } : {};
    const meta = { result_count: page.length, ...more };
    return Response.json(
      page.length === 0 ? { meta } : { data: page.map((post) => show(post, fields)), meta },
    );
  }

  /** `fields`: the fields that the request names. X shows only these. */
  function show(post: XPost, fields: readonly string[]) {
    const { text, urls } = toText(post);
    const entities = urls.length > 0 ? { entities: { urls } } : {};
    const isLong = twitterText.parseTweet(post.text).weightedLength > 280;
    const keys = post.media.map(({ key }) => key);
    const isAsked = (name: string) => fields.includes(name);
    const isRenamed = server.knows === 'post';
    const note = isRenamed ? 'note_post' : 'note_tweet';
    const references = isRenamed ? 'referenced_posts' : 'referenced_tweets';
    return {
      id: post.id,
      text: isLong ? `${text.slice(0, 270)}…` : text,
      ...(isAsked('entities') && entities),
      ...(isLong && isAsked(note) && { [note]: { text, ...entities } }),
      ...(post.replyTo !== null &&
        isAsked(references) && { [references]: [{ type: 'replied_to', id: post.replyTo }] }),
      ...(isAsked('attachments') && keys.length > 0 && { attachments: { media_keys: keys } }),
      ...(isAsked('attachments') && post.options.poll && { attachments: { poll_ids: [post.id] } }),
    };
  }

  const routes: Route[] = [
    ...login.routes,
    ...media.routes.map((route) => ({ ...route, handle: ofApi(route.handle) })),
    {
      method: 'GET',
      path: /^\/2\/users\/me$/,
      handle: ofApi((request) => {
        login.check(request, 'tweet.read', 'users.read');
        const query = Object.fromEntries(new URL(request.url).searchParams.entries());
        const isKnown = z
          .strictObject({ 'user.fields': words('subscription_type') })
          .safeParse(query);
        if (!isKnown.success) throw invalid(z.prettifyError(isKnown.error));
        return Response.json({ data: account });
      }),
    },
    { method: 'POST', path: /^\/2\/tweets$/, handle: ofApi(createPost) },
    {
      /** https://docs.x.com/x-api/posts/delete-post */
      method: 'DELETE',
      path: /^\/2\/tweets\/(\d{1,19})$/,
      handle: ofApi((request, [postId]) => {
        login.check(request, 'tweet.read', 'tweet.write', 'users.read');
        const at = posts.findIndex((post) => post.id === postId);
        if (at < 0) throw named(404, 'resource-not-found', 'Not Found Error', 'No such post.');
        posts.splice(at, 1);
        return Response.json({ data: { deleted: true } });
      }),
    },
    {
      /** https://docs.x.com/x-api/posts/get-post-by-id. X answers 200 for a post that is gone. */
      method: 'GET',
      path: /^\/2\/tweets\/(\d{1,19})$/,
      handle: ofApi((request, [postId]) => {
        login.check(request, 'tweet.read', 'users.read');
        const post = posts.find((each) => each.id === postId);
        if (post) return Response.json({ data: { id: post.id, text: toText(post).text } });
        const type = 'https://api.twitter.com/2/problems/resource-not-found';
        return Response.json({ errors: [{ type, title: 'Not Found Error', detail: 'Gone.' }] });
      }),
    },
    {
      method: 'GET',
      path: /^\/2\/users\/(\d{1,19})\/tweets$/,
      handle: ofApi((request, [userId = '']) => listPosts(request, userId)),
    },
  ];
  return server;
}

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function refuse(kind: RefusalKind, request?: Request): Response {
  switch (kind) {
    case 'limited':
      return plain(429, 'Too Many Requests').toResponse();
    case 'limited_with_retry_after': {
      const reset = String(Math.floor(Date.now() / 1_000) + 1);
      const headers = {
        'x-rate-limit-limit': '100',
        'x-rate-limit-remaining': '0',
        'x-rate-limit-reset': reset,
      };
      return plain(429, 'Too Many Requests', 'Too Many Requests', headers).toResponse();
    }
    case 'unavailable':
      return plain(503, 'Service Unavailable').toResponse();
    case 'error':
      return named(500, 'internal-error', 'Internal Error', 'Something broke.').toResponse();
    case 'rejected':
      if (request?.url.endsWith('/oauth2/token')) return refuseToken();
      return forbidden('You are not permitted to perform this action.').toResponse();
  }
}
