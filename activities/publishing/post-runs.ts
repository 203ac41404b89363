// Claims the runs of posts for their workflow, and advances their open targets for a short time.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  claimRuns,
  listOpenTargets,
  type ClaimedRun,
  type OpenTarget,
} from '../../schema/database/posts/runs.ts';
import { failureKeyOf } from '../../schema/database/dispatch/activity-failures.ts';
import type {
  AdvancedPosts,
  BegunTarget,
  ClaimedTarget,
  NotDue,
  PublishPostInput,
  TargetProgress,
} from '../../schema/workflows.ts';
import { describeError, recordFailure } from '../activity-failures.ts';
import { within } from '../within.ts';
import type { Admission } from './admission.ts';
import type { AdvanceTargetInput } from './advance-target.ts';
import type { AdvanceDependencies } from './dependencies.ts';

export interface PostRunDependencies extends AdvanceDependencies {
  admission: Admission;
  /** Aborts when the worker stops. No other post begins after that. */
  stopping: AbortSignal;
}

/** How this process advances a target, and concludes a run. */
export interface RunSteps {
  advance(input: AdvanceTargetInput): Promise<TargetProgress>;
  conclude(input: PublishPostInput, projectId: string): Promise<void>;
}

/** A longer call continues after this time, and a separate activity waits for its end. */
const soonMs = 2_000;
/** How long a lone post waits for its place. A longer wait would cost a heartbeat of the workflow task. */
const enterWithinMs = 4_000;
/** The activity of a group begins no other post after this time. The workflow calls it again for the rest. */
const stayForMs = 3_000;
/** If no post is due yet, the activity waits this long at most for the first ones, so that they are on time. */
const waitForMs = 5_000;
/** The workflow calls this long before other posts are due. Such posts may wait together. */
const leadMs = 1_000;
/** Targets of slow posts in one answer, which Temporal limits to 2 MB. */
const maxSlowTargets = 5_000;
const slowWaitMs = 2_000;
/** How long a post waits after an internal error. */
const errorWaitMs = 5_000;

export function createPostRuns(dependencies: PostRunDependencies, steps: RunSteps) {
  const { db, notifier, admission, stopping } = dependencies;
  const log = dependencies.log.child({ component: 'publishing' });

  /** A reply begins when the target that it replies to has ended. Undefined: the reply must wait. */
  function advanceAll(targets: ClaimedTarget[], run: number) {
    const all = new Map<string, Promise<TargetProgress | undefined>>();
    for (const { resultId, after } of targets) {
      const start = () => steps.advance({ resultId, run });
      const before = after === undefined ? undefined : all.get(after);
      const progress = before?.then((end) => (hasEnded(end) ? start() : undefined)) ?? start();
      all.set(resultId, progress);
    }
    return all;
  }

  /** Waits for each target for a short time. Null: all targets have ended, and the run is concluded. */
  async function advanceSoon(
    input: PublishPostInput & { projectId: string },
    targets: ClaimedTarget[],
  ): Promise<BegunTarget[] | null> {
    const { projectId, ...run } = input;
    const all = advanceAll(targets, input.run);
    const begun = await Promise.all(
      targets.map(async (target) => ({
        ...target,
        progress: await within(soonMs, all.get(target.resultId)!),
      })),
    );
    if (!begun.every(({ progress }) => hasEnded(progress))) return begun;
    await steps.conclude(run, projectId);
    return null;
  }

  return {
    /** Null: the run is over, or another workflow owns it. */
    async beginPost(
      input: PublishPostInput,
      workflowId: string,
    ): Promise<BegunTarget[] | NotDue | null> {
      const [run] = await claimRuns(db, notifier, [input], workflowId);
      if (!run || run.state === 'over') return null;
      if (run.state !== 'claimed') return { waitMs: run.waitMs };
      const targets = answeredFirst(await listOpenTargets(db, [input.postId]));
      const signal = AbortSignal.any([AbortSignal.timeout(enterWithinMs), stopping]);
      const { projectId } = run;
      const work = () => advanceSoon({ ...input, projectId }, targets);
      try {
        return await admission.run(projectId, work, signal);
      } catch (error) {
        if (!signal.aborted || error !== signal.reason) throw error;
        return targets.map((target) => ({ ...target, progress: { waitMs: 0 } }));
      }
    },

    /** A post that fails or takes long doesn't delay the others. */
    async advancePosts(posts: PublishPostInput[], workflowId: string): Promise<AdvancedPosts> {
      const ended: string[] = [];
      const slow: AdvancedPosts['slow'] = [];
      let slowTargets = 0;
      /** When the next step of each post is due, by `performance.now()`. */
      const dueAtMs = new Map<PublishPostInput, number>();
      const wait = (input: PublishPostInput, waitMs: number) =>
        void dueAtMs.set(input, performance.now() + waitMs);

      async function advanceClaimed(
        input: PublishPostInput,
        projectId: string,
        targets: ClaimedTarget[],
      ) {
        const begun = await advanceSoon({ ...input, projectId }, targets);
        if (begun === null) ended.push(input.postId);
        else if (begun.some((target) => isSlow(target, begun))) {
          slowTargets += begun.length;
          if (slowTargets > maxSlowTargets) wait(input, slowWaitMs);
          else slow.push({ ...input, targets: begun });
        } else {
          const waits = begun.map(({ progress }) => progress?.waitMs ?? Infinity);
          wait(input, Math.min(...waits));
        }
      }

      async function advanceRun(
        { postId, run, projectId }: ClaimedRun,
        targets: OpenTarget[],
        signal: AbortSignal,
      ) {
        const input = { postId, run };
        const work = () => advanceClaimed(input, projectId, answeredFirst(targets));
        try {
          await admission.run(projectId, work, signal);
        } catch (error) {
          if (signal.aborted && error === signal.reason) return wait(input, 0);
          wait(input, errorWaitMs);
          const stack = error instanceof Error ? error.stack : undefined;
          const fields = { workflow_id: workflowId, post_id: postId };
          log.warn(
            { ...fields, error: describeError(error), stack },
            'a post could not be advanced',
          );
          const failure = { workflowId: failureKeyOf(workflowId, postId), error };
          await recordFailure(db, { ...failure, activity: 'advancePosts' });
        }
      }

      async function claimAndAdvance(inputs: PublishPostInput[]): Promise<void> {
        const runs = await claimRuns(db, notifier, inputs, workflowId);
        const states = Map.groupBy(runs, ({ state }) => state);
        const claimed = states.get('claimed') ?? [];
        const ids = claimed.map(({ postId }) => postId);
        const targets = Map.groupBy(await listOpenTargets(db, ids), ({ post_id }) => post_id);
        ended.push(...(states.get('over') ?? []).map(({ postId }) => postId));
        for (const { postId, run, waitMs } of states.get('locked') ?? []) {
          wait({ postId, run }, waitMs);
        }
        const early = states.get('early') ?? [];
        const firstMs = Math.min(...early.map(({ waitMs }) => waitMs));
        const isFree = claimed.length === 0;
        const untilMs = Math.min(firstMs + leadMs, waitForMs);
        const isSoon = ({ waitMs }: ClaimedRun) => isFree && waitMs <= untilMs;
        for (const { postId, run, waitMs } of early.filter((one) => !isSoon(one))) {
          wait({ postId, run }, Math.max(waitMs - leadMs, 0));
        }
        const soon = Map.groupBy(early.filter(isSoon), ({ waitMs }) => waitMs);
        const signal = AbortSignal.any([AbortSignal.timeout(stayForMs), stopping]);
        await Promise.all([
          ...claimed.map((run) => advanceRun(run, targets.get(run.postId) ?? [], signal)),
          ...soon.entries().map(([waitMs, group]) => advanceWhenDue(waitMs, group)),
        ]);
      }

      /** Claims posts together that are due in the same millisecond. */
      async function advanceWhenDue(waitMs: number, group: ClaimedRun[]): Promise<void> {
        const inputs = group.map(({ postId, run }) => ({ postId, run }));
        if (await sleepFor(waitMs, stopping)) await claimAndAdvance(inputs);
        else for (const input of inputs) wait(input, 0);
      }

      await claimAndAdvance(posts);
      const nowMs = performance.now();
      const waiting = [...dueAtMs].map(([input, dueMs]) => {
        return { ...input, waitMs: Math.max(Math.ceil(dueMs - nowMs), 0) };
      });
      return { ended, waiting, slow };
    },
  };
}

/** False: the signal aborted first. */
async function sleepFor(waitMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(waitMs, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

const hasEnded = (progress: TargetProgress | undefined) => progress?.waitMs === null;

/** A call of the target is in progress, or its project has its full share of calls. */
function isSlow({ progress, after }: BegunTarget, targets: BegunTarget[]): boolean {
  if (progress) return progress.isCrowded === true;
  const before = targets.find(({ resultId }) => resultId === after);
  return before === undefined || hasEnded(before.progress);
}

/** Orders targets by their positions, except that a target comes before its replies. */
function answeredFirst(rows: OpenTarget[]): ClaimedTarget[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ordered = new Map<string, ClaimedTarget>();
  const add = ({ id, answers_result_id }: OpenTarget): void => {
    if (ordered.has(id)) return;
    const answered = answers_result_id === null ? undefined : byId.get(answers_result_id);
    if (answered) add(answered);
    ordered.set(id, { resultId: id, ...(answered ? { after: answered.id } : {}) });
  };
  rows.forEach(add);
  return [...ordered.values()];
}
