// The phases of a target, of which each one is done, current, failed or to come.
import type { Target } from './post-detail-documents.ts';

const steps = ['Accepted', 'Prepared', 'Sent', 'Public'] as const;

export function Track({ target, isStarted }: { target: Target; isStarted: boolean }) {
  const at = position(target, isStarted);
  const isFailed = target.status === 'FAILED';
  const isEnded = target.status === 'CANCELED' || target.status === 'UNPUBLISHED';
  if (isEnded) return null;
  return (
    <ol className="track" aria-label="Progress">
      {steps.map((step, index) => {
        const state = stateOf(index, at, isFailed);
        return (
          <li key={step} data-state={state}>
            {step}
            <span className="hidden">: {words[state]}</span>
          </li>
        );
      })}
    </ol>
  );
}

const words = { done: 'done', current: 'in progress', failed: 'failed', later: 'to come' } as const;

/** The step that the target is in. */
function position({ status, waitingFor, failureStage }: Target, isStarted: boolean): number {
  if (status === 'PUBLISHED') return steps.length;
  if (status === 'FAILED') {
    if (failureStage === 'VALIDATE' || failureStage === null) return 0;
    if (failureStage === 'PREPARE') return 1;
    return failureStage === 'COMMIT' ? 2 : 3;
  }
  if (!isStarted) return 0;
  if (waitingFor === 'CONFIRMATION' || waitingFor === 'LOST_ANSWER') return 3;
  return status === 'PUBLISHING' ? 2 : 1;
}

function stateOf(index: number, at: number, isFailed: boolean): keyof typeof words {
  if (index < at) return 'done';
  if (index > at) return 'later';
  return isFailed ? 'failed' : 'current';
}
