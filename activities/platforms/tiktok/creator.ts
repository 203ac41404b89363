// The creator behind a login: what TikTok lets them publish now, and the account that they connect.
import { z } from 'zod';
import { isPrivacyLevel, privacyMeanings, tiktok } from '../../../schema/platforms/tiktok.ts';
import type { Traits } from '../../../schema/platforms/definition.ts';
import { hasCode, PlatformError } from '../platform-error.ts';
import type { Ask } from '../network-api.ts';
import type { Choice, Creator as CreatorNow, GrantedAccount, Target } from '../platform.ts';
import { network } from './api.ts';

/** https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info */
const CreatorInfo = z.object({
  data: z.object({
    creator_avatar_url: z.string().optional(),
    creator_username: z.string().min(1),
    creator_nickname: z.string().min(1),
    privacy_level_options: z.array(z.string()),
    comment_disabled: z.boolean().default(false),
    duet_disabled: z.boolean().default(false),
    stitch_disabled: z.boolean().default(false),
    max_video_post_duration_sec: z.number().positive().optional(),
  }),
});
export type Creator = z.infer<typeof CreatorInfo>['data'];

/** https://developers.tiktok.com/doc/tiktok-api-v2-get-user-info */
const UserInfo = z.object({
  data: z.object({
    user: z.object({ open_id: z.string().min(1), display_name: z.string().min(1).optional() }),
  }),
});

export async function readCreator(ask: Ask): Promise<Creator> {
  const path = '/post/publish/creator_info/query/';
  return (await ask(path, CreatorInfo, { method: 'POST' })).body.data;
}

/** What rules and options depend on. */
export const traitsOf = (creator: Creator): Traits => ({
  username: creator.creator_username,
  privacy_levels: creator.privacy_level_options.filter(isPrivacyLevel).join(','),
  comment_disabled: creator.comment_disabled,
  duet_disabled: creator.duet_disabled,
  stitch_disabled: creator.stitch_disabled,
  ...(creator.max_video_post_duration_sec && { max_video_s: creator.max_video_post_duration_sec }),
});

/** For clients, which must show this before each post. Drafts need no permission to ask. */
export async function describeCreator(ask: Ask, traits: Traits): Promise<CreatorNow> {
  const username = traits['username'];
  const unknown = {
    name: null,
    username: username === undefined ? null : String(username),
    avatarUrl: null,
  };
  const creator = await readCreator(ask).catch((error: unknown) => {
    if (lacksScope(error)) return 'not allowed';
    if (isOfCreator(error)) return error;
    throw error;
  });
  if (creator === 'not allowed') {
    return { ...unknown, reason: null, traits: { can_publish: false } };
  }
  if (creator instanceof PlatformError) return { ...unknown, reason: creator.message };
  return {
    name: creator.creator_nickname,
    username: creator.creator_username,
    avatarUrl: creator.creator_avatar_url ?? null,
    reason: null,
    traits: { ...traitsOf(creator), can_publish: true },
  };
}

const lacksScope = (error: unknown) =>
  hasCode(error, 'scope_not_authorized') || hasCode(error, 'scope_permission_missed');

/** The creator can't publish now, but the login is good. */
const isOfCreator = (error: unknown): error is PlatformError =>
  error instanceof PlatformError &&
  (error.options.isOutOfQuota === true || error.options.failsAs === 'account_restricted');

/** `scope`: null if it is unknown. The user may have allowed only some of the scopes. */
export async function listAccounts(
  ask: Ask,
  scope: readonly string[] | null,
): Promise<GrantedAccount[]> {
  const query = { fields: 'open_id,display_name' };
  const { user } = (await ask('/user/info/', UserInfo, { query })).body.data;
  const creator = await findCreator(ask, scope);
  const can_publish = creator !== 'not allowed';
  const can_upload = scope?.includes('video.upload') ?? true;
  const isUseless = !can_publish && !can_upload;
  const problem = 'The login lacks video.publish or video.upload.';
  const known = typeof creator === 'object' ? creator : undefined;
  return [
    {
      externalAccountId: user.open_id,
      accountName: known ? `@${known.creator_username}` : (user.display_name ?? user.open_id),
      traits: {
        // The user's ID in the app's callbacks.
        user_id: user.open_id,
        can_publish,
        can_upload,
        ...(known && traitsOf(known)),
      },
      problem: isUseless ? problem : null,
      ...(isUseless && { lacksScope: true }),
    },
  ];
}

async function findCreator(
  ask: Ask,
  scope: readonly string[] | null,
): Promise<Creator | 'not allowed' | 'unknown'> {
  if (scope && !scope.includes('video.publish')) return 'not allowed';
  try {
    return await readCreator(ask);
  } catch (error) {
    if (lacksScope(error)) return 'not allowed';
    if (isOfCreator(error)) return 'unknown';
    throw error;
  }
}

export const toChoices = ({ privacy_level_options: levels }: Creator): Choice[] =>
  levels.filter(isPrivacyLevel).map((id) => ({ id, name: nameOf(privacyMeanings[id]) }));

const nameOf = (meaning: string) => `${meaning[0]!.toUpperCase()}${meaning.slice(1)}`;

/** Throws if the creator may not publish the target as it is. What TikTok offers may have changed since. */
export function checkTarget(creator: Creator, { platformOptions, media }: Target): void {
  const { privacy_level: level } = tiktok.options.parse(platformOptions);
  const offered = creator.privacy_level_options;
  if (level === undefined || !offered.includes(level)) {
    const words = `${network} offers this creator no \`platform_options.privacy_level\` ${String(level)}. It offers ${offered.join(', ')}.`;
    throw new PlatformError('rejected', words, {
      platformCode: 'privacy_level_option_mismatch',
      failsAs: 'choice_gone',
      providerError: { path: 'platform_options.privacy_level', offered },
    });
  }
  const maxMs = (creator.max_video_post_duration_sec ?? Infinity) * 1_000;
  const tooLong = media.find(({ durationMs }) => (durationMs ?? 0) > maxMs);
  if (!tooLong) return;
  const words = `${network} takes videos of at most ${maxMs} ms from this creator.`;
  throw new PlatformError('rejected', words, { platformCode: 'duration_check_failed' });
}
