// Why a target fails: every `error_code` of a result, with what its reader can do about it.
import type { NextAction } from './posts.ts';
import { reconnectCalls } from '../reconnecting.ts';

const reconnectHint = `Connect the account again (${reconnectCalls}), then retry the target.`;

interface PostingError {
  /** Where the network gave no words of its own. */
  message: string;
  hint: string;
  /** Whether `retry` may help without another change. */
  isRetriable: boolean;
  nextAction: NextAction;
}

export const postingErrors = {
  rejected: {
    message: 'The network refused the post for good.',
    hint: 'Read `error_message`, change what it names, and post again.',
    isRetriable: false,
    nextAction: 'edit_content',
  },
  rate_limited: {
    message: 'The network limited the rate for longer than the six hours that a post waits.',
    hint: 'Retry the target later, or post less often to this account.',
    isRetriable: true,
    nextAction: 'wait',
  },
  unavailable: {
    message: 'The network could not be reached, or surely refused before it took the post.',
    hint: 'Retry the target once the network is well.',
    isRetriable: true,
    nextAction: 'retry',
  },
  token_expired: {
    message: "The account's access has expired, and refreshing it failed.",
    hint: reconnectHint,
    isRetriable: false,
    nextAction: 'reconnect_account',
  },
  token_revoked: {
    message: "The user or the network took the account's access back.",
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
      'The network may or may not have the post: its answer was lost and it could not be asked.',
    hint: 'Look at the network. A retry looks there first and posts only what it surely does not find.',
    isRetriable: false,
    nextAction: 'check_network',
  },
  answered_post_missing: {
    message: 'What it answers was not published.',
    hint: 'Retry what it answers first: the part of the thread before it, or the target, which takes its comment along.',
    isRetriable: true,
    nextAction: 'retry',
  },
  platform_not_configured: {
    message: 'This installation does not publish to the network.',
    hint: 'Ask the operator to configure the network.',
    isRetriable: false,
    nextAction: 'contact_operator',
  },
} as const satisfies Record<string, PostingError>;

export type PostingErrorCode = keyof typeof postingErrors;

/** Undefined: the result has no error, or one that a release before this one knew. */
export function findPostingError(
  code: string | null,
): (PostingError & { code: PostingErrorCode }) | undefined {
  if (code === null || !isPostingErrorCode(code)) return undefined;
  return { code, ...postingErrors[code] };
}

function isPostingErrorCode(code: string): code is PostingErrorCode {
  return Object.hasOwn(postingErrors, code);
}

/** Where the page at `/docs` explains the code. */
export const postingErrorAnchor = (code: PostingErrorCode) => `posting-error-${code}`;
