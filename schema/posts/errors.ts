// Every `error_code` of a failed target, with its message, its hint and the next action.
import type { NextAction } from './next-action.ts';
import type { Names, Text } from '../wire/names.ts';

/** What has happened to an account that can't publish. */
export const lostAccountWords = {
  reconnect_required: 'has lost its access',
  disconnected: 'was disconnected',
} as const;

/** The calls that connect an account again: with your credentials, or by the user. */
export const reconnectCalls = ({ operation }: Names) =>
  `${operation('connectAccount')}, or for its user ${operation('createConnectSession')}`;

const reconnectHint: Text = (names) =>
  `Connect the account again (${reconnectCalls(names)}), then retry the target.`;

interface PostingError {
  /** Used if the network gave no message. */
  message: string;
  hint: Text;
  /** Whether a retry can succeed without another change. */
  isRetriable: boolean;
  nextAction: NextAction;
}

export const postingErrors = {
  rejected: {
    message: 'The network refused the post permanently.',
    hint: ({ field }) =>
      `Fix the problem that ${field('error_message')} describes, then create a new post.`,
    isRetriable: false,
    nextAction: 'edit_content',
  },
  content_blocked: {
    message: 'The network blocks the content.',
    hint: 'Change the content, then create a new post.',
    isRetriable: false,
    nextAction: 'edit_content',
  },
  choice_gone: {
    message:
      'An option of the post names something that the network no longer has, such as a location.',
    hint: ({ field }) => `Choose again in ${field('platform_options')}, then create a new post.`,
    isRetriable: false,
    nextAction: 'edit_content',
  },
  account_restricted: {
    message: 'The network restricts the account.',
    hint: "The owner of the account finds the reason in the network's app. Retry the target once the restriction has ended.",
    isRetriable: true,
    nextAction: 'wait',
  },
  permission_missing: {
    message: 'The login lacks a permission that the post needs.',
    hint: (names) =>
      `Connect the account again with every permission (${reconnectCalls(names)}), then retry the target.`,
    isRetriable: false,
    nextAction: 'reconnect_account',
  },
  app_not_approved: {
    message: 'The network has not approved the app for this.',
    hint: 'The owner of the app asks the network for its approval. Then retry the target.',
    isRetriable: false,
    nextAction: 'contact_operator',
  },
  rate_limited: {
    message: 'The rate limit of the network lasted longer than Fanfare waits.',
    hint: 'Retry the target later, or post to this account less often.',
    isRetriable: true,
    nextAction: 'wait',
  },
  quota_exhausted: {
    message: 'The quota of the account or its app was used up for longer than Fanfare waits.',
    hint: 'Retry the target later, or post to this account less often.',
    isRetriable: true,
    nextAction: 'wait',
  },
  unavailable: {
    message:
      'The network was unreachable, refused every call, or took too long to prepare the post. It did not accept the post.',
    hint: 'Retry the target when the network works again.',
    isRetriable: true,
    nextAction: 'retry',
  },
  token_expired: {
    message: "The account's access expired and could not be refreshed.",
    hint: reconnectHint,
    isRetriable: false,
    nextAction: 'reconnect_account',
  },
  token_revoked: {
    message: "The user or the network revoked the account's access.",
    hint: reconnectHint,
    isRetriable: false,
    nextAction: 'reconnect_account',
  },
  account_disconnected: {
    message: 'The account is not connected.',
    hint: reconnectHint,
    isRetriable: false,
    nextAction: 'reconnect_account',
  },
  outcome_unknown: {
    message:
      'The network may have the post. Its response was lost, and checks gave no clear answer.',
    hint: 'Check on the network. A retry checks first and never posts twice.',
    isRetriable: false,
    nextAction: 'check_network',
  },
  answered_post_missing: {
    message: 'The post that this one replies to was not published, or has no ID from the network.',
    hint: 'Retry that post first: the previous part of the thread, or the target of a first comment. A published post without an ID takes no replies.',
    isRetriable: true,
    nextAction: 'retry',
  },
  media_unreachable: {
    message: 'The media could not be fetched from their URL.',
    hint: 'Check that the URL answers without login, then retry the target. To keep a scheduled post, update it with other media.',
    isRetriable: true,
    nextAction: 'retry',
  },
  media_invalid: {
    message: 'The media are not an image, a video or a document that the network accepts.',
    hint: 'Create a new post with other media. To keep a scheduled post, update it with other media.',
    isRetriable: false,
    nextAction: 'edit_content',
  },
  media_too_large: {
    message: 'The media are too large.',
    hint: 'Create a new post with smaller media. To keep a scheduled post, update it with other media.',
    isRetriable: false,
    nextAction: 'edit_content',
  },
  media_expired: {
    message: 'The media of the post were deleted.',
    hint: 'Create a new post with new media.',
    isRetriable: false,
    nextAction: 'edit_content',
  },
  media_fetch_failed: {
    message: 'The network could not fetch the media from this installation.',
    hint: 'Retry the target. If it fails again, ask the operator whether the network can reach the media.',
    isRetriable: true,
    nextAction: 'retry',
  },
  media_not_public: {
    message: 'The network fetches media, and this installation has no public address for them.',
    hint: 'Ask the operator to set FANFARE_MEDIA_PUBLIC_URL to an address that the network accepts.',
    isRetriable: false,
    nextAction: 'contact_operator',
  },
  deadline_passed: {
    message: 'The deadline passed before the post could be sent.',
    hint: ({ field }) =>
      `Nothing was sent. Create a new post with a later ${field('publish_by')}, or without one.`,
    isRetriable: false,
    nextAction: 'edit_content',
  },
  post_gone: {
    message: 'The network no longer has the post.',
    hint: 'The target is unpublished. To publish the content again, create a new post.',
    isRetriable: false,
    nextAction: 'none',
  },
  has_replies: {
    message: 'Parts of the same post that reply to this one are still public.',
    hint: 'Unpublish the last part of the thread first, or the first comment.',
    isRetriable: true,
    nextAction: 'retry',
  },
  too_late: {
    message: 'The network allows the change only for a limited time after the publication.',
    hint: ({ field }) => `Change the post at the network: ${field('url')} leads to it.`,
    isRetriable: false,
    nextAction: 'none',
  },
  platform_not_configured: {
    message: 'This installation does not publish to the network.',
    hint: 'Ask the operator to configure the network.',
    isRetriable: false,
    nextAction: 'contact_operator',
  },
} as const satisfies Record<string, PostingError>;

export type PostingErrorCode = keyof typeof postingErrors;

/** Undefined: the result has no error, or an unknown one. */
export function findPostingError(
  code: string | null,
): (PostingError & { code: PostingErrorCode }) | undefined {
  if (code === null || !isPostingErrorCode(code)) return undefined;
  return { code, ...postingErrors[code] };
}

function isPostingErrorCode(code: string): code is PostingErrorCode {
  return Object.hasOwn(postingErrors, code);
}

/** The error of a target whose media failed with this code, or have an issue with this code. */
export function mediaErrorOf(
  code: string,
): 'media_unreachable' | 'media_too_large' | 'media_invalid' {
  return code === 'media_unreachable' || code === 'media_too_large' ? code : 'media_invalid';
}

/** Anchor of the code at `/docs`. */
export const postingErrorAnchor = (code: PostingErrorCode) => `posting-error-${code}`;
