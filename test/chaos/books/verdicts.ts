// Decides by two reads whether a post or a delivery that has not ended is late or lost.

/** A post or a delivery that has not ended, as Postgres and Temporal know it. */
export interface OpenWork {
  id: string;
  /** Changes with each of its steps: those in its rows, and those in its workflow's history. */
  trace: string;
  /** `asked for`: a relay has to start its workflow. `gone`: no workflow owns it, and none was asked for. */
  workflow: 'running' | 'asked for' | 'gone';
  /** Its workflow has a task or an activity that is queued or under way. */
  task: { tries: number; failure: string | undefined } | undefined;
  /** The next step of its rows, or the last timer of its workflow. */
  dueAt: Date | undefined;
}

export interface Verdict {
  isLost: boolean;
  why: string;
}

/** By then every backend has been up for a minute. */
const mostTries = 10;

/** `mostWaitMs`: the longest that anything in the run waits on purpose. */
export function decide(
  before: OpenWork | undefined,
  now: OpenWork,
  { at, watchedMs, mostWaitMs }: { at: Date; watchedMs: number; mostWaitMs: number },
): Verdict {
  const late = (why: string) => ({ isLost: false, why });
  const lost = (why: string) => ({ isLost: true, why });
  const { workflow, task, dueAt } = now;
  const watched = `${(watchedMs / 1_000).toFixed(0)} s`;
  const waitMs = dueAt ? dueAt.getTime() - at.getTime() : 0;
  if (task && task.tries >= mostTries) {
    return lost(`its workflow failed ${task.tries} times: ${task.failure ?? 'without a message'}`);
  }
  if (waitMs > mostWaitMs)
    return lost(`it waits until ${dueAt!.toISOString()}, which nothing asks`);
  if (before?.trace !== now.trace) return late(`it moved within the last ${watched}`);
  if (waitMs > 0) return late(`it is due in ${(waitMs / 1_000).toFixed(1)} s`);
  if (dueAt && waitMs > -watchedMs) return late(`it was due ${(-waitMs / 1_000).toFixed(1)} s ago`);
  if (task) return late('its workflow has a task in the queue');
  if (workflow === 'running')
    return lost(`its workflow waits for nothing, and stood for ${watched}`);
  if (workflow === 'asked for') return lost(`no relay started its workflow in ${watched}`);
  return lost(`no workflow owns it, and it stood for ${watched}`);
}
