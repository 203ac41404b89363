// Finds a post among the account's posts after an unknown outcome. X stores no ID of ours, and charges for
// each post that it lists.
import { z } from 'zod';
import { loadTwitterText, readable, urlPath } from '../../../schema/platforms/text/twitter-text.ts';
import { earliestOf } from '../lost-posts.ts';
import type { Ask } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { ReconcileOutcome, Target } from '../platform.ts';
import { publishedAs } from '../results.ts';
import { listUploads } from './media.ts';

const Urls = z.object({
  urls: z
    .array(
      z.object({
        url: z.string().nullish(),
        expanded_url: z.string().nullish(),
        media_key: z.string().nullish(),
      }),
    )
    .nullish(),
});
const References = z.array(z.object({ type: z.string(), id: z.string() })).optional();
const Note = z.object({ text: z.string(), entities: Urls.nullish() }).optional();

/** X is renaming tweets to posts. */
const Listed = z.object({
  id: z.string(),
  text: z.string(),
  entities: Urls.optional(),
  /** The whole text of a long post. */
  note_post: Note,
  note_tweet: Note,
  referenced_posts: References,
  referenced_tweets: References,
  attachments: z
    .object({
      media_keys: z.array(z.string()).nullish(),
      poll_ids: z.array(z.string()).nullish(),
    })
    .optional(),
});
type Listed = z.infer<typeof Listed>;

/** @see https://docs.x.com/x-api/users/get-posts */
const Page = z.object({
  data: z.array(Listed).default([]),
  meta: z.object({ next_token: z.string().optional() }).optional(),
});

/** X leads this address to the post even if the account's name has changed. */
export const toPublished = ({ traits }: Pick<Target, 'traits'>, id: string) =>
  publishedAs(id, `https://x.com/${String(traits['username'] ?? 'i')}/status/${id}`, null);

/** `unknown`: since then, the account has published too many posts, or a post that may be this one. */
export async function findPost(ask: Ask, target: Target): Promise<ReconcileOutcome> {
  const since = new Date(earliestOf(target));
  const { data, meta } = await listPosts(ask, target.externalAccountId, {
    max_results: 100,
    start_time: since.toISOString().replace(/\.\d+/, ''),
    exclude: 'retweets',
  });
  // The oldest post comes first, since an equal post that a person wrote later comes after it.
  const posts = data.toReversed().map((post) => ({ post, likeness: compare(post, target) }));
  const found = posts.find(({ likeness }) => likeness === 'same');
  if (found) return toPublished(target, found.post.id);
  const isSure = meta?.next_token === undefined && posts.every((each) => each.likeness === 'other');
  return { outcome: isSure ? 'absent' : 'unknown' };
}

/**
 * X's OpenAPI description has `post.fields`; its guides and its own test server have `tweet.fields`.
 * @see https://api.x.com/2/openapi.json, https://docs.x.com/x-api/fundamentals/fields,
 *   https://github.com/xdevplatform/playground
 */
async function listPosts(ask: Ask, userId: string, query: Record<string, string | number>) {
  const list = async (fields: Record<string, string>) => {
    const asked = { query: { ...query, ...fields } };
    return (await ask(`/users/${userId}/tweets`, Page, asked)).body;
  };
  try {
    return await list({ 'post.fields': 'attachments,entities,note_post,referenced_posts' });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.options.providerError?.['status'] !== 400) {
      throw error;
    }
    return list({ 'tweet.fields': 'attachments,entities,note_tweet,referenced_tweets' });
  }
}

type Likeness = 'same' | 'perhaps' | 'other';

function compare(post: Listed, target: Target): Likeness {
  const { replyTo, platformOptions } = target;
  const references = post.referenced_posts ?? post.referenced_tweets ?? [];
  const answered = references.find(({ type }) => type === 'replied_to')?.id ?? null;
  const hasPoll = (post.attachments?.poll_ids ?? []).length > 0;
  const isAlike = answered === replyTo && hasPoll === (platformOptions['poll'] !== undefined);
  const likenesses = [compareMedia(post, target), compareTexts(target.caption, post)];
  if (!isAlike || likenesses.includes('other')) return 'other';
  return likenesses.includes('perhaps') ? 'perhaps' : 'same';
}

/**
 * Compares the IDs of the media, which are at the end of the keys. If the IDs were lost with the state,
 * compares the number of media, and whether there is a text.
 */
function compareMedia({ attachments }: Listed, { media, state, caption }: Target): Likeness {
  const keys = attachments?.media_keys ?? [];
  const uploads = listUploads(state);
  if (keys.length !== media.length) return 'other';
  if (uploads.length !== media.length) return caption.trim() === '' ? 'perhaps' : 'same';
  const isOurs = (key: string) =>
    uploads.some((upload) => upload.key === key || upload.id === key.split('_').at(-1));
  return keys.every(isOurs) ? 'same' : 'other';
}

/** X shortens URLs, and may name their destinations in another form. */
function compareTexts(caption: string, post: Listed): Likeness {
  const [ours, theirs] = [caption.toWellFormed(), readText(post)];
  if (normalize(ours, toPlace) === normalize(theirs, toPlace)) return 'same';
  return normalize(ours, () => 'url') === normalize(theirs, () => 'url') ? 'perhaps' : 'other';
}

/** The text as the user wrote it, without the URLs of the media. */
function readText({ text, entities, note_post, note_tweet }: Listed): string {
  const note = note_post ?? note_tweet;
  const urls = (note ? note.entities : entities)?.urls ?? [];
  const expanded = urls.reduce((whole, { url, expanded_url, media_key }) => {
    const place = media_key ? '' : (expanded_url ?? url ?? '');
    return url ? whole.replaceAll(url, () => place) : whole;
  }, note?.text ?? text);
  return expanded.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** X may write the letters of a URL as they are, or percent-encoded. */
const encodeLetters = (path: string) => path.replaceAll(/\P{ASCII}+/gu, encodeURIComponent);

function normalize(text: string, writeUrl: (url: string) => string): string {
  const encoded = text.normalize().replaceAll(urlPath, encodeLetters);
  const plain = readable(encoded).text;
  const urls = loadTwitterText().extractUrlsWithIndices(plain);
  const written = urls.toReversed().reduce((rest, { url, indices: [start, end] }) => {
    return `${rest.slice(0, start)}${writeUrl(url)}${rest.slice(end)}`;
  }, plain);
  return written.replaceAll(/\s+/g, ' ').trim();
}

/** Removes what X may add to a URL: the protocol and a last slash. */
function toPlace(url: string): string {
  const given = /^https?:\/\//i.test(url) ? url : `http://${url}`;
  if (!URL.canParse(given)) return url;
  const { host, pathname, search, hash } = new URL(given);
  return `${host}${pathname.replace(/\/$/, '')}${search}${hash}`;
}
