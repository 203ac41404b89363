// Who owns a begun call: the process that began it, while its heartbeats reach the database and the call
// may still take its time. Database time alone decides, so a process with a wrong clock changes nothing.
import type { Db } from '../../schema/database/tables.ts';
import {
  releaseCalls,
  renewHeartbeats,
  type BegunCall,
} from '../../schema/database/posts/target-steps.ts';
import type { TargetRow } from '../../schema/database/posts/targets.ts';
import type { TargetClock } from '../../schema/retry.ts';

/** For writing the outcome after a call that took all its time. */
const writingMs = 5_000;

/** How long the row's call still belongs to its caller, unless a heartbeat comes; 0: nobody owns it. */
export function ownedForMs(
  { phase_state, begun_at, heartbeat_at, read_at }: TargetRow,
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

/** The heartbeats of one process: a single timer for all its calls, which costs short ones nothing. */
export interface CallHeartbeats {
  /** Renews the heartbeat of a call that was just begun, until the returned function is called. */
  keep(call: BegunCall): () => void;
  /** Gives up the calls still in flight, so that others take them over at once. Never rejects. */
  handOver(): Promise<void>;
}

export function createCallHeartbeats(
  db: Db,
  { heartbeatMs }: Pick<TargetClock, 'heartbeatMs'>,
): CallHeartbeats {
  /** Each with when it was begun. */
  const calls = new Map<BegunCall, number>();
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    timer = calls.size > 0 ? setTimeout(() => void renew(), heartbeatMs).unref() : undefined;
  }

  async function renew(): Promise<void> {
    const begunBeforeMs = performance.now() - heartbeatMs / 2;
    const due = [...calls.keys()].filter((call) => calls.get(call)! < begunBeforeMs);
    try {
      if (due.length > 0) await renewHeartbeats(db, due);
    } catch {
      // The next heartbeat may be in time. Otherwise others take the calls over, which is safe.
    }
    schedule();
  }

  return {
    keep({ id, steps }) {
      const call = { id, steps };
      calls.set(call, performance.now());
      if (timer === undefined) schedule();
      return () => void calls.delete(call);
    },
    async handOver() {
      const left = [...calls.keys()];
      calls.clear();
      // Without the database they count as lost before long.
      if (left.length > 0) await releaseCalls(db, left).catch(() => undefined);
    },
  };
}
