// Turns the row of a replay into its wire type.
import type { ReplayRow } from '../../schema/database/tables.ts';
import type { ReplayOutcomes } from '../../schema/database/webhooks/replays.ts';
import type { Replay } from '../../schema/replays.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';

export function presentReplay(row: ReplayRow, outcomes: ReplayOutcomes): Replay {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    status: row.status,
    since: toTimestamp(row.since),
    until: toTimestamp(row.until),
    status_filter: row.statuses,
    matched: row.matched,
    reopened: row.reopened,
    pending: outcomes.pending,
    delivered: outcomes.delivered,
    failed: outcomes.failed,
    skipped: outcomes.skipped,
    canceled: outcomes.canceled,
    created_at: toTimestamp(row.created_at),
    concluded_at: toTimestamp(row.concluded_at),
  };
}
