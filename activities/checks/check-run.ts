// The input of every step of a check: the row, the network, and the progress that earlier steps have left.
import { z } from 'zod';
import type { RunningCheck } from '../../schema/database/accounts/checks.ts';
import type { Platform } from '../platforms/platform.ts';
import type { CheckDependencies } from './dependencies.ts';
import type { StepEnd } from './steps.ts';

export const Progress = z.object({
  /** The connector's state of the post, kept between its calls. */
  state: z.record(z.string(), z.unknown()).default({}),
  isPrepared: z.boolean().default(false),
  /** Repeats of the step. */
  tries: z.int().default(0),
  /** What the network says the login may do. Empty: the network doesn't say. */
  scope: z.array(z.string()).default([]),
  /** Why the account can't publish, as a sentence. */
  problem: z.string().nullable().default(null),
  /** The publication has a slot under the operator's ceiling already. */
  hasSlot: z.boolean().default(false),
  /** The phase of the publication. `begun`: the commit may have been sent. */
  phase: z.enum(['begun', 'confirm', 'reconcile']).optional(),
  /** The execution that began the commit. */
  begunBy: z.string().optional(),
  /** ID of the post at the network. Null: there is no post yet, or the network gives no ID. */
  externalId: z.string().nullable().default(null),
});
export type Progress = z.infer<typeof Progress>;

export interface CheckRun {
  dependencies: CheckDependencies;
  check: RunningCheck;
  platform: Platform;
  progress: Progress;
  /** ID of this execution of the activity. */
  runId: string;
}

/** The outcome of a step, and the progress that it leaves. `wait`: the step has not ended. */
export interface Taken {
  end: StepEnd | { outcome: 'wait'; waitMs: number };
  progress?: Partial<Progress>;
}

export const wait = (waitMs: number, progress: Partial<Progress> = {}): Taken => ({
  end: { outcome: 'wait', waitMs },
  progress,
});

export const pass = (message?: string, progress: Partial<Progress> = {}): Taken => ({
  end: { outcome: 'passed', message },
  progress,
});

export const skip = (message: string): Taken => ({ end: { outcome: 'skipped', message } });

type Failure = Extract<StepEnd, { outcome: 'failed' }>;

export const fail = (code: Failure['code'], message: string): Taken => ({
  end: { outcome: 'failed', code, message },
});
