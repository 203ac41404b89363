// A step after the publication, as a connector whose commit takes the step. The engine then runs it like a target.
import type { CommitOutcome, Platform, Step } from '../platforms/platform.ts';

/** The step itself has neither an ID nor a URL. */
const taken = {
  outcome: 'published',
  published: { externalId: null, url: null, visibility: null },
} as const satisfies CommitOutcome;

/** Undefined: this version of Fanfare doesn't know the step. */
export function toStepConnector(platform: Platform, name: string): Platform | undefined {
  const step = platform.steps?.[name];
  return step && { ...withoutPhases(platform), ...phasesOf(step, platform) };
}

function withoutPhases({ definition, connect, refresh, canRefresh }: Platform) {
  return {
    definition,
    connect,
    ...(refresh && { refresh }),
    ...(canRefresh && { canRefresh }),
  };
}

function phasesOf(
  { run, isDone }: Step,
  { definition }: Platform,
): Pick<Platform, 'definition' | 'commit' | 'reconcile'> {
  return {
    definition: { ...definition, commitRepeatsForMs: isDone ? 0 : Infinity },
    async commit(target, signal) {
      await run(target, signal);
      return taken;
    },
    async reconcile(target, signal) {
      return (await isDone?.(target, signal)) ? taken : { outcome: 'absent' };
    },
  };
}
