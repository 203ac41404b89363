// What TikTok says of a post that it has taken, by the ID of its publishing.
import { z } from 'zod';
import { tiktok, type PrivacyLevel } from '../../../schema/platforms/tiktok.ts';
import type { Ask } from '../network-api.ts';
import type { FollowedPost, FollowUpOutcome, Published, Target } from '../platform.ts';
import { NetworkWord } from '../refusal.ts';

/** The spelling is TikTok's. https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status */
const Status = z.object({
  data: z.object({
    status: z.string(),
    fail_reason: NetworkWord,
    publicaly_available_post_id: z.array(z.union([z.string(), z.number()])).nullish(),
    uploaded_bytes: z.number().optional(),
  }),
});
export type PostStatus = z.infer<typeof Status>['data'];

export async function readStatus(ask: Ask, publishId: string): Promise<PostStatus> {
  const json = { publish_id: publishId };
  return (await ask('/post/publish/status/fetch/', Status, { json })).body.data;
}

const visibilities: Record<PrivacyLevel, string> = {
  PUBLIC_TO_EVERYONE: 'public',
  FOLLOWER_OF_CREATOR: 'followers',
  MUTUAL_FOLLOW_FRIENDS: 'private',
  SELF_ONLY: 'private',
};

/**
 * Undefined: TikTok has not finished the post. TikTok gives the ID of a public post only after its moderation, and
 * none of any other post.
 */
export function readPublished(
  { status, publicaly_available_post_id: ids }: PostStatus,
  { platformOptions, traits, media }: Target,
  publishId: string,
): Published | undefined {
  const { mode, privacy_level: level } = tiktok.options.safeParse(platformOptions).data ?? {};
  if (status === 'SEND_TO_USER_INBOX') {
    const nextAction = 'finish_in_app';
    return { externalId: null, url: null, visibility: 'draft', nextAction };
  }
  if (status !== 'PUBLISH_COMPLETE') return undefined;
  const kind = media[0]?.kind === 'image' ? 'photo' : 'video';
  // In the app, the creator chose who can see a draft.
  const isChosen = mode !== 'inbox' && level !== undefined;
  const externalId = idOf(ids);
  const isModerated = externalId === null && isChosen && level === 'PUBLIC_TO_EVERYONE';
  const followed: FollowState = { publishId, kind };
  return {
    externalId,
    url: urlOf(externalId, kind, traits),
    visibility: isChosen ? visibilities[level] : null,
    ...(isModerated && { followUp: { state: followed, forMs: moderatedForMs } }),
  };
}

type Ids = PostStatus['publicaly_available_post_id'];
const idOf = (ids: Ids) => (ids?.[0] === undefined ? null : String(ids[0]));

function urlOf(id: string | null, kind: string, { username }: Target['traits']): string | null {
  if (id === null || username === undefined) return null;
  return `https://www.tiktok.com/@${String(username)}/${kind}/${id}`;
}

/** What is asked of a public post until its moderation has ended. */
const FollowState = z.object({ publishId: z.string(), kind: z.enum(['photo', 'video']) });
type FollowState = z.infer<typeof FollowState>;

/** "Within one minute" for most posts, and hours for some, by the page of the status. */
const moderatedForMs = 24 * 3_600_000;
const askEveryMs = 60_000;

/** Whether the moderation of a published post has ended, and under which ID it is public. */
export async function askModeration(
  ask: Ask,
  { state, traits }: FollowedPost,
): Promise<FollowUpOutcome> {
  const { publishId, kind } = FollowState.parse(state);
  const { status, publicaly_available_post_id: ids } = await readStatus(ask, publishId);
  if (status === 'FAILED') return { outcome: 'gone' };
  const externalId = idOf(ids);
  if (externalId === null) return { outcome: 'more', waitMs: askEveryMs };
  return { outcome: 'done', finished: { externalId, url: urlOf(externalId, kind, traits) } };
}
