// What TikTok says of a post that it has taken, by the ID of its publishing.
import { z } from 'zod';
import { tiktok, type PrivacyLevel } from '../../../schema/platforms/tiktok.ts';
import type { Ask } from '../network-api.ts';
import type { Published, Target } from '../platform.ts';

/** The spelling is TikTok's. https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status */
const Status = z.object({
  data: z.object({
    status: z.string(),
    fail_reason: z.string().optional(),
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
): Published | undefined {
  const { mode, privacy_level: level } = tiktok.options.safeParse(platformOptions).data ?? {};
  if (status === 'SEND_TO_USER_INBOX') {
    const nextAction = 'finish_in_app';
    return { externalId: null, url: null, visibility: 'draft', nextAction };
  }
  if (status !== 'PUBLISH_COMPLETE') return undefined;
  const id = ids?.[0] === undefined ? null : String(ids[0]);
  const { username } = traits;
  const kind = media[0]?.kind === 'image' ? 'photo' : 'video';
  const hasUrl = id !== null && username !== undefined;
  // In the app, the creator chose who can see a draft.
  const isChosen = mode !== 'inbox' && level !== undefined;
  return {
    externalId: id,
    url: hasUrl ? `https://www.tiktok.com/@${String(username)}/${kind}/${id}` : null,
    visibility: isChosen ? visibilities[level] : null,
  };
}
