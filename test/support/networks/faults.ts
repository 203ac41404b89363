// The switchboard of faults that all simulated networks share. It decides which call of which phase goes
// wrong, and how.
import { AsyncLocalStorage } from 'node:async_hooks';
import type {
  AccountChecks,
  Edit,
  Fetch,
  Platform,
  Unpublish,
} from '../../../activities/platforms/platform.ts';
import type { Phase } from '../../../schema/posts/posts.ts';

export const faults = [
  /** The call never reached the network. */
  'refused',
  /** The network read the call and closed the connection, but carried out nothing. */
  'cut_before',
  'error_before',
  'hang_before',
  /** The network refused the call, so it certainly carried out nothing. */
  'unavailable',
  'limited',
  'limited_with_retry_after',
  'rejected',
  'token_expired',
  'token_revoked',
  /** The network has carried out the call, but its answer is lost or makes no sense. */
  'answer_lost',
  'error_after',
  'hang_after',
  'garbage',
  /** The network never answers. It carries out the call only after somebody has looked for the post. */
  'taken_late',
] as const;
/** The network answers a call after `stallMs`, when its caller has given up. */
export const stalls = [
  /** The network never carried out the call. */
  'stall_before',
  /** The network carried out the call at once. */
  'stall_after',
  /** The network carries out the call only when it answers. */
  'stall_late',
] as const;
export const stallMs = 1_500;
/** `echoed`: the network refuses in words that repeat the request with its token, as careless networks do. */
export type Fault = (typeof faults)[number] | (typeof stalls)[number] | 'echoed';

/** The phases of a target, and the other calls to a network for an account. */
export type Stage =
  | Phase
  | 'connect'
  | 'refresh'
  | 'revoke'
  | 'check'
  /** Edits or removes a published post. */
  | 'change'
  /** Asks whether a lost change was made. */
  | 'look_up';

/** From the `call`-th call of a stage on, `times` calls go wrong. */
export interface Plan {
  stage: Stage;
  call: number;
  times: number;
  fault: Fault;
}

export interface Switchboard {
  plans: Plan[];
  /** How many calls there were so far, including calls that went wrong. */
  count(stage: Stage): number;
  /** Runs before a call leaves, and after the network has handled it. */
  onCall?: (moment: 'before' | 'after', stage: Stage, call: number) => Promise<void>;
  /** The `fetch` of a connector over HTTP. */
  readonly fetch: Fetch;
  /** Makes one call of a connector without HTTP. The call carries out the fault itself. */
  take<T>(call: (fault: Fault | undefined) => Promise<T>): Promise<T>;
  /** Returns the platform with its calls counted by their stage. */
  watch(platform: Platform): Platform;
  /** The server calls this if it will never answer the request. */
  hang(callId: string): void;
}

export const faultHeader = 'x-fault';
export const callHeader = 'x-call-id';
/** No server listens on this port, and `fetch` doesn't refuse to call it. */
const deadOrigin = 'http://127.0.0.1:2';

export function createSwitchboard(): Switchboard {
  const stages = new AsyncLocalStorage<Stage>();
  const counts = new Map<Stage, number>();
  const deadlines = new Map<string, AbortController>();
  let lastId = 0;

  const findFault = (stage: Stage, call: number) =>
    switchboard.plans.find(
      (plan) => plan.stage === stage && call >= plan.call && call < plan.call + plan.times,
    )?.fault;

  async function send(url: string, init: RequestInit, fault: Fault | undefined): Promise<Response> {
    if (fault === undefined) return fetch(url, init);
    if (fault === 'refused') return fetch(`${deadOrigin}${new URL(url).pathname}`, init);
    const id = String(++lastId);
    const deadline = new AbortController();
    deadlines.set(id, deadline);
    const headers = new Headers(init.headers);
    headers.set(faultHeader, fault);
    headers.set(callHeader, id);
    const signals = [deadline.signal, ...(init.signal ? [init.signal] : [])];
    return fetch(url, { ...init, headers, signal: AbortSignal.any(signals) });
  }

  const switchboard: Switchboard = {
    plans: [],
    count: (stage) => counts.get(stage) ?? 0,
    fetch: (url, init = {}) => switchboard.take((fault) => send(url, init, fault)),
    async take(act) {
      const stage = stages.getStore();
      if (!stage) throw new Error('A call of no stage.');
      const call = switchboard.count(stage) + 1;
      counts.set(stage, call);
      await switchboard.onCall?.('before', stage, call);
      try {
        return await act(findFault(stage, call));
      } finally {
        await switchboard.onCall?.('after', stage, call);
      }
    },
    watch(platform) {
      const { connect, refresh, prepare, confirm, reconcile, revoke, checks } = platform;
      const { unpublish, edit } = platform;
      return {
        ...platform,
        connect: connect.map((method) =>
          method.kind === 'form'
            ? { ...method, run: (...given) => stages.run('connect', () => method.run(...given)) }
            : {
                ...method,
                begin: (...given) => stages.run('connect', () => method.begin(...given)),
                complete: (...given) => stages.run('connect', () => method.complete(...given)),
              },
        ),
        ...(refresh && { refresh: (...given) => stages.run('refresh', () => refresh(...given)) }),
        ...(prepare && { prepare: (...given) => stages.run('prepare', () => prepare(...given)) }),
        commit: (...given) => stages.run('commit', () => platform.commit(...given)),
        ...(confirm && { confirm: (...given) => stages.run('confirm', () => confirm(...given)) }),
        ...(reconcile && {
          reconcile: (...given) => stages.run('reconcile', () => reconcile(...given)),
        }),
        ...(revoke && { revoke: (...given) => stages.run('revoke', () => revoke(...given)) }),
        ...(unpublish && { unpublish: watchUnpublish(unpublish) }),
        ...(edit && { edit: watchEdit(edit) }),
        ...(checks && { checks: watchChecks(checks, (call) => stages.run('check', call)) }),
      };
    },
    hang(callId) {
      // Ends the call as AbortSignal.timeout does, but as soon as the network has done its part.
      deadlines.get(callId)?.abort(new DOMException('The call timed out.', 'TimeoutError'));
    },
  };
  return switchboard;

  function watchUnpublish({ remove, exists }: Unpublish): Unpublish {
    return {
      remove: (...given) => stages.run('change', () => remove(...given)),
      ...(exists && { exists: (...given) => stages.run('look_up', () => exists(...given)) }),
    };
  }

  function watchEdit({ apply, isApplied }: Edit): Edit {
    return {
      apply: (...given) => stages.run('change', () => apply(...given)),
      ...(isApplied && {
        isApplied: (...given) => stages.run('look_up', () => isApplied(...given)),
      }),
    };
  }
}

function watchChecks(
  { inspect, quota, ...checks }: AccountChecks,
  run: <T>(call: () => T) => T,
): AccountChecks {
  return {
    ...checks,
    inspect: (...given) => run(() => inspect(...given)),
    ...(quota && { quota: (...given) => run(() => quota(...given)) }),
  };
}
