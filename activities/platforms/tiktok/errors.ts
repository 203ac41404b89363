// What TikTok's errors and failures mean to a post, each with a sentence for people. The page of TikTok shows the
// tables.
import type { PostingErrorCode } from '../../../schema/posts/errors.ts';
import { PlatformError } from '../platform-error.ts';
import type { Explanation, Meaning } from '../refusal.ts';

interface Known {
  /** Default: `rejected`. */
  meaning?: Meaning;
  /** Default: depends on the meaning. */
  failsAs?: PostingErrorCode;
  /** Absent: TikTok's own words are clear. */
  sentence?: string;
  isOutOfQuota?: true;
}

const tooManyPosts: Known = {
  meaning: 'rate_limited',
  isOutOfQuota: true,
  sentence: 'The creator has published as many posts through apps as TikTok accepts in 24 hours.',
};
const banned: Known = {
  failsAs: 'account_restricted',
  sentence: 'TikTok does not let this creator publish for now.',
};
const spam: Known = {
  failsAs: 'content_blocked',
  sentence: 'TikTok takes the post for spam or for a breach of its rules.',
};

/**
 * https://developers.tiktok.com/doc/tiktok-api-v2-error-handling,
 * https://developers.tiktok.com/doc/content-posting-api-reference-direct-post,
 * https://developers.tiktok.com/doc/content-posting-api-reference-photo-post
 */
export const tiktokErrors: Readonly<Record<string, Known>> = {
  access_token_invalid: { meaning: 'reauthorize' },
  scope_not_authorized: {
    failsAs: 'permission_missing',
    sentence: 'The user did not allow this when they connected the account.',
  },
  scope_permission_missed: {
    failsAs: 'permission_missing',
    sentence: 'The login lacks a permission for this.',
  },
  rate_limit_exceeded: { meaning: 'rate_limited' },
  spam_risk_too_many_posts: tooManyPosts,
  spam_risk_too_many_pending_share: {
    meaning: 'rate_limited',
    isOutOfQuota: true,
    sentence:
      'The creator has 5 drafts of the last 24 hours in the inbox, and TikTok takes no more.',
  },
  reached_active_user_cap: {
    meaning: 'rate_limited',
    isOutOfQuota: true,
    sentence:
      'The app has published for as many creators as TikTok lets it in 24 hours. Its owner asks TikTok for an audit or for more.',
  },
  spam_risk_user_banned_from_posting: banned,
  spam_risk: spam,
  spam_risk_text: spam,
  unaudited_client_can_only_post_to_private_accounts: {
    failsAs: 'app_not_approved',
    sentence:
      'TikTok has not audited the app, so it publishes only for private accounts, and only for the creator. The creator makes the account private, or the owner of the app asks TikTok for an audit.',
  },
  privacy_level_option_mismatch: {
    failsAs: 'choice_gone',
    sentence: 'TikTok does not offer this `platform_options.privacy_level` to the creator.',
  },
  url_ownership_unverified: {
    failsAs: 'media_not_public',
    sentence:
      "TikTok fetches photos only from verified domains. The owner of the app verifies the domain of this installation's media as a URL property of the app.",
  },
  app_version_check_failed: {
    sentence: "The creator's TikTok app is older than version 31.8, which drafts of photos need.",
  },
};

/** `isSuccess`: the status of the answer says so, but the answer has this code. */
export function explainError(
  code: string | undefined,
  message: string | undefined,
  isSuccess: boolean,
): Explanation {
  const known = code === undefined ? undefined : tiktokErrors[code];
  const { meaning, failsAs, isOutOfQuota } = known ?? {};
  const isRefused = isSuccess || known !== undefined;
  return {
    code,
    message: [message, known?.sentence].filter(Boolean).join(' '),
    meaning: meaning ?? (isRefused ? 'rejected' : undefined),
    ...(failsAs && { failsAs }),
    ...(isOutOfQuota && { isOutOfQuota }),
  };
}

const ended = 'The creator ended the access of the app.';

/** https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status */
export const tiktokFailures: Readonly<Record<string, Known>> = {
  file_format_check_failed: { sentence: "TikTok can't read the format of the file." },
  duration_check_failed: { sentence: 'The video is too short or too long for this creator.' },
  frame_rate_check_failed: { sentence: 'The video must have 23 to 60 frames per second.' },
  picture_size_check_failed: { sentence: 'The video or a photo is too small or too large.' },
  video_pull_failed: {
    failsAs: 'media_fetch_failed',
    sentence: 'TikTok could not fetch the video.',
  },
  photo_pull_failed: {
    failsAs: 'media_fetch_failed',
    sentence: 'TikTok could not fetch the photos.',
  },
  internal: { failsAs: 'unavailable', sentence: 'Something failed at TikTok.' },
  publish_cancelled: { sentence: 'The post was canceled at TikTok.' },
  auth_removed: { failsAs: 'token_revoked', sentence: ended },
  // These depend on time, but the post has ended at TikTok, so only a retry publishes it.
  spam_risk_too_many_posts: { failsAs: 'quota_exhausted', sentence: tooManyPosts.sentence! },
  spam_risk_user_banned_from_posting: banned,
  spam_risk_text: spam,
  spam_risk: spam,
};

/** The error of a post that will never be public. */
export function failureOf(reason: string | undefined): PlatformError {
  const { sentence, failsAs } = tiktokFailures[reason ?? ''] ?? {};
  const words = [reason ?? 'TikTok gave no reason.', sentence].filter(Boolean).join(': ');
  return new PlatformError('rejected', `TikTok did not publish the post: ${words}`, {
    platformCode: reason ?? 'FAILED',
    providerError: { status: 'FAILED', ...(reason && { fail_reason: reason }) },
    ...(failsAs && { failsAs }),
  });
}
