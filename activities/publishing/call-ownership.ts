// Decides which process owns a call in flight: the one that began it, until its heartbeats stop or its time
// is over. Only the database's clock counts, so a process with a wrong clock does no harm.
import type { BegunCall, HeartbeatStore } from '../../schema/database/posts/call-heartbeats.ts';
import { withoutProject } from '../current-project.ts';
import { within } from '../within.ts';
import type { TargetRow } from '../../schema/database/posts/targets.ts';
import type { TargetClock } from '../../schema/retry.ts';

/** Time to record the outcome of a call that lasted until its timeout. */
const writingMs = 5_000;

/** How often the row is read while another process owns its call. */
export const readAgainMs = 500;

/** How long the caller owns the row's call without another heartbeat; 0: nobody owns it. */
export function ownedForMs(
  {
    phase_state,
    begun_at,
    heartbeat_at,
    read_at,
  }: Pick<TargetRow, 'phase_state' | 'begun_at' | 'heartbeat_at' | 'read_at'>,
  { lostAfterMs }: Pick<TargetClock, 'lostAfterMs'>,
  callTimeoutMs: number,
): number {
  if (phase_state !== 'begun' || !begun_at || !heartbeat_at) return 0;
  const untilMs = Math.min(
    begun_at.getTime() + callTimeoutMs + writingMs,
    heartbeat_at.getTime() + lostAfterMs,
  );
  return Math.max(0, untilMs - read_at.getTime());
}

/** The heartbeats of one process. A single timer serves all calls, so short calls cost nothing. */
export interface CallHeartbeats {
  /** Renews the heartbeat of a call that was just begun, until the returned function is called. */
  keep(call: BegunCall): () => void;
  /** Resolves once no call is in flight, or after this time. */
  settled(withinMs: number): Promise<void>;
  /** Releases the calls in flight, so that other processes take them over at once. Never rejects. */
  releaseAll(): Promise<void>;
}

export function createCallHeartbeats(
  store: HeartbeatStore,
  { heartbeatMs }: Pick<TargetClock, 'heartbeatMs'>,
): CallHeartbeats {
  /** The start time of each call. */
  const calls = new Map<BegunCall, number>();
  let timer: NodeJS.Timeout | undefined;
  let settling: (() => void)[] = [];

  function schedule(): void {
    timer = calls.size > 0 ? withoutProject(startTimer) : undefined;
  }

  function startTimer(): NodeJS.Timeout {
    return setTimeout(() => void renew(), heartbeatMs).unref();
  }

  async function renew(): Promise<void> {
    const begunBeforeMs = performance.now() - heartbeatMs / 2;
    const due = [...calls.keys()].filter((call) => calls.get(call)! < begunBeforeMs);
    try {
      if (due.length > 0) await store.renew(due);
    } catch {
      // The next heartbeat may still be in time. If it isn't, other processes take over the calls, which is
      // safe.
    }
    schedule();
  }

  return {
    keep({ id, steps }) {
      const call = { id, steps };
      calls.set(call, performance.now());
      if (timer === undefined) schedule();
      return () => {
        calls.delete(call);
        if (calls.size > 0) return;
        settling.forEach((resolve) => resolve());
        settling = [];
      };
    },
    async settled(withinMs) {
      if (calls.size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      settling.push(resolve);
      await within(withinMs, promise);
    },
    async releaseAll() {
      const left = [...calls.keys()];
      calls.clear();
      // If the database is unavailable, the calls soon count as lost anyway.
      if (left.length > 0) await store.release(left).catch(() => undefined);
    },
  };
}
