// Why a target fails: every `error_code` of a result, with what its reader can do about it.
import type { NextAction } from './posts.ts';

export const postingErrors = {
  rejected: { isRetriable: false, nextAction: 'edit_content' },
  rate_limited: { isRetriable: true, nextAction: 'wait' },
  unavailable: { isRetriable: true, nextAction: 'retry' },
  token_expired: { isRetriable: false, nextAction: 'reconnect_account' },
  token_revoked: { isRetriable: false, nextAction: 'reconnect_account' },
  account_disconnected: { isRetriable: false, nextAction: 'reconnect_account' },
  outcome_unknown: { isRetriable: false, nextAction: 'check_network' },
  platform_not_configured: { isRetriable: false, nextAction: 'contact_operator' },
} as const satisfies Record<string, { isRetriable: boolean; nextAction: NextAction }>;

export type PostingErrorCode = keyof typeof postingErrors;
