// What the simulated Threads shows of a profile, of posts and of quotas.
// By https://developers.facebook.com/docs/threads/retrieve-and-discover-posts/retrieve-posts and
// https://developers.facebook.com/docs/threads/overview#rate-limiting, read on 2026-11-26.
import type { Container, StoredPost } from '../meta/container-server.ts';
import { writeTime } from '../meta/requests.ts';
import type { Kind, NewContainer } from './parameters.ts';

export type ThreadsContainer = Container<Kind, NewContainer>;
export type ThreadsPost = StoredPost<Kind, NewContainer>;

interface Profile {
  id: string;
  username: string;
  name: string;
}

/** A member without a value is absent. */
type Shown = Record<string, unknown>;

export const showProfile = (profile: Profile): Shown => ({
  ...profile,
  is_verified: false,
  threads_profile_picture_url: `https://cdn.threads.test/${profile.username}.jpg`,
  threads_biography: 'Mathematician',
  recently_searched_keywords: [],
  is_eligible_for_geo_gating: false,
});

const mediaTypes = {
  TEXT: 'TEXT_POST',
  CAROUSEL: 'CAROUSEL_ALBUM',
  IMAGE: 'IMAGE',
  VIDEO: 'VIDEO',
} as const;

/** `posts`: all posts of the profile. */
export function showPost(
  { id, createdAt, container: { given, children, sha256 } }: ThreadsPost,
  { id: userId, username }: Profile,
  posts: readonly ThreadsPost[],
): Shown {
  const { media_type: type, text, reply_to_id, quote_post_id } = given;
  const shortcode = BigInt(id).toString(36);
  return {
    id,
    media_product_type: 'THREADS',
    media_type: mediaTypes[type],
    media_url: sha256 && `https://cdn.threads.test/${sha256}`,
    gif_url: undefined,
    permalink: `https://www.threads.com/@${username}/post/${shortcode}`,
    owner: reply_to_id === undefined ? { id: userId } : undefined,
    username,
    text,
    timestamp: writeTime(createdAt),
    shortcode,
    thumbnail_url: undefined,
    children:
      children.length > 0 ? { data: children.map((child) => ({ id: child.id })) } : undefined,
    is_quote_post: quote_post_id !== undefined,
    quoted_post: quote_post_id === undefined ? undefined : { id: quote_post_id },
    reposted_post: undefined,
    alt_text: given.alt_text,
    link_attachment_url: given.link_attachment,
    poll_attachment: given.poll_attachment && showPoll(given.poll_attachment, createdAt),
    location_id: undefined,
    topic_tag: given.topic_tag,
    is_verified: false,
    profile_picture_url: `https://cdn.threads.test/${username}.jpg`,
    has_replies: posts.some(({ container }) => container.given.reply_to_id === id),
    is_reply: reply_to_id !== undefined,
    is_reply_owned_by_me: reply_to_id !== undefined,
    root_post: reply_to_id === undefined ? undefined : { id: rootOf(reply_to_id, posts) },
    replied_to: reply_to_id === undefined ? undefined : { id: reply_to_id },
    hide_status: 'NOT_HUSHED',
    reply_audience: 'EVERYONE',
  };
}

function rootOf(id: string, posts: readonly ThreadsPost[]): string {
  const above = posts.find((post) => post.id === id)?.container.given.reply_to_id;
  return above === undefined ? id : rootOf(above, posts);
}

const pollMs = 24 * 3_600_000;

function showPoll(poll: NonNullable<NewContainer['poll_attachment']>, createdAt: number): Shown {
  const shares = Object.keys(poll).map((option) => [`${option}_votes_percentage`, 0]);
  return {
    ...poll,
    ...Object.fromEntries(shares),
    total_votes: 0,
    expiration_timestamp: writeTime(createdAt + pollMs),
  };
}

export const quotas = { posts: 250, replies: 1_000, deletes: 100, locations: 500 };

export function showQuota({ posts, replies }: { posts: number; replies: number }): Shown {
  const configOf = (quota_total: number) => ({ quota_total, quota_duration: 86_400 });
  return {
    quota_usage: posts,
    config: configOf(quotas.posts),
    reply_quota_usage: replies,
    reply_config: configOf(quotas.replies),
    delete_quota_usage: 0,
    delete_config: configOf(quotas.deletes),
    location_search_quota_usage: 0,
    location_search_config: configOf(quotas.locations),
  };
}
