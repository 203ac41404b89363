// How a target must end, depending on the fault and its stage.
import type { PostingErrorCode } from '../../../schema/posts/errors.ts';
import type { FailureStage, Phase } from '../../../schema/posts/posts.ts';
import type { Fault } from './faults.ts';
import type { NetworkKind } from './network.ts';

export type ExpectedEnd =
  | { status: 'published'; postCount: 1 }
  | { status: 'failed'; errorCode: PostingErrorCode; stage: FailureStage; postCount: 0 | 1 };

export interface Trouble {
  stage: Phase | 'refresh';
  /** Number of the first call of the stage that fails. The first call has number 1. */
  call: number;
  fault: Fault;
  /** Every later call of the stage fails too. */
  isLasting: boolean;
}

const published: ExpectedEnd = { status: 'published', postCount: 1 };
const takenSilently: readonly Fault[] = [
  'answer_lost',
  'error_after',
  'hang_after',
  'garbage',
  'taken_late',
];
/** Faults after which the network has accepted nothing, but its silence doesn't show that. */
const leftSilently: readonly Fault[] = ['cut_before', 'error_before', 'hang_before'];

export function findExpectedEnd(kind: NetworkKind, trouble: Trouble): ExpectedEnd {
  const { stage, fault, isLasting } = trouble;
  if (stage === 'refresh') return afterRefresh(kind, trouble);
  const mayBePublic = stage === 'confirm' || stage === 'reconcile';
  if (fault === 'token_revoked') {
    const code = kind.hidesRevocation ? 'token_expired' : fault;
    return mayBePublic ? unknown(stage, 1) : failed(code, stage);
  }
  const { publishingCall = 1 } = kind;
  if (stage === 'commit' && trouble.call >= publishingCall) {
    return afterCommit(kind, fault, isLasting);
  }
  if (!isLasting) return fault === 'rejected' && !mayBePublic ? failed(fault, stage) : published;
  if (mayBePublic) return unknown(stage, 1);
  return failed(nameOf(fault), stage);
}

function afterCommit(kind: NetworkKind, fault: Fault, isLasting: boolean): ExpectedEnd {
  const canCheck = kind.resolution !== 'none';
  if (takenSilently.includes(fault)) {
    if (canCheck) return published;
    // The network takes a late request only at a check. No check is made here.
    return unknown('reconcile', fault === 'taken_late' ? 0 : 1);
  }
  const isSilent =
    leftSilently.includes(fault) || (fault === 'unavailable' && !kind.isUnavailableSafe);
  if (isSilent) {
    if (!canCheck) return unknown('reconcile', 0);
    // A commit that asks first fails as it asks again.
    const stage = (kind.publishingCall ?? 1) > 1 ? 'commit' : 'reconcile';
    return isLasting ? failed('unavailable', stage) : published;
  }
  return isLasting || fault === 'rejected' ? failed(nameOf(fault), 'commit') : published;
}

/** The fault is in the refresh, because the access token has expired. */
function afterRefresh(
  { calls, keepsRefreshToken }: NetworkKind,
  { fault, isLasting }: Trouble,
): ExpectedEnd {
  const first = calls.prepare ? 'prepare' : 'commit';
  // The login was refused, not the post.
  if (fault === 'rejected') return failed('token_expired', first);
  if (isLasting) return failed(nameOf(fault), first);
  // The new tokens are lost, and most refresh tokens work only once.
  const areLost = !keepsRefreshToken && takenSilently.includes(fault) && fault !== 'taken_late';
  return areLost ? failed('token_expired', first) : published;
}

function nameOf(fault: Fault): PostingErrorCode {
  switch (fault) {
    case 'rejected':
    case 'token_expired':
    case 'token_revoked':
      return fault;
    case 'limited':
    case 'limited_with_retry_after':
      return 'rate_limited';
    default:
      return 'unavailable';
  }
}

const failed = (errorCode: PostingErrorCode, stage: FailureStage): ExpectedEnd => ({
  status: 'failed',
  errorCode,
  stage,
  postCount: 0,
});

const unknown = (stage: FailureStage, postCount: 0 | 1): ExpectedEnd => ({
  status: 'failed',
  errorCode: 'outcome_unknown',
  stage,
  postCount,
});
