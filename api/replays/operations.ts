// Operations on replays: send past deliveries of a webhook again, read the progress.
import type { Db, ReplayRow, WebhookRow } from '../../schema/database/tables.ts';
import { countMatches, startOf } from '../../schema/database/webhooks/replay-matches.ts';
import {
  countOutcomesOf,
  findRunningReplay,
  getReplayRow,
  insertReplay,
  listReplayPages,
  listReplaysById,
} from '../../schema/database/webhooks/replays.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import { getWebhookRow, lockWebhook } from '../../schema/database/webhooks/webhooks.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { Page, Paging } from '../../schema/wire/listing.ts';
import type { Text } from '../../schema/wire/names.ts';
import { present } from '../../schema/wire/present.ts';
import { Replay, type AcceptedReplay, type ReplayDeliveries } from '../../schema/replays.ts';
import type { Caller, Context } from '../http/context.ts';
import { emptyPage, pagesByParent } from '../http/listing.ts';
import { transact, type Answer } from '../http/transact.ts';

/** Counts the deliveries before the transaction, so that its locks are short. A workflow does the rest. */
export async function replayDeliveries(
  context: Context,
  caller: Caller,
  webhookId: string,
  input: ReplayDeliveries,
): Promise<Answer<AcceptedReplay>> {
  const webhook = await getWebhookRow(context.db, caller, webhookId);
  const range = readRange(input, context.config.retention.recordsMs);
  const statuses = [...new Set(input.status)];
  const wanted = {
    project_id: caller.projectId,
    webhook_id: webhookId,
    environment: webhook.environment,
    statuses,
    ...range,
  };
  const matched = await countMatches(context.db, { ...wanted, events: webhook.events });
  return transact(context, caller, async ({ trx, change }) => {
    await refuseUnready(trx, await lockWebhook(trx, caller, webhookId));
    const id = newId('replay');
    const position = startOf(statuses);
    await insertReplay(trx, { id, ...wanted, status: 'running', matched, position });
    change({ subject: 'replay', subject_id: id, kind: 'created' });
    return { status: 202, data: { replay_id: id, matched } };
  });
}

/** Also returns a replay whose webhook was deleted. */
export async function getReplay(
  { db }: Context,
  caller: Caller,
  id: string,
  webhookId?: string,
): Promise<Replay> {
  const [replay] = await presentReplays(db, caller, [
    await getReplayRow(db, caller, id, webhookId),
  ]);
  return replay!;
}

/** The replays with these ids that the scope includes. */
export async function findReplays(
  { db }: Context,
  scope: RowScope,
  ids: string[],
): Promise<Replay[]> {
  return presentReplays(db, scope, await listReplaysById(db, scope, ids));
}

/** The running replay of a webhook. */
export async function findRunning(
  { db }: Context,
  caller: Caller,
  webhookId: string,
): Promise<Replay | undefined> {
  await getWebhookRow(db, caller, webhookId);
  const id = await findRunningReplay(db, caller.projectId, webhookId);
  if (id === undefined) return undefined;
  return (await presentReplays(db, caller, await listReplaysById(db, caller, [id])))[0];
}

export async function listReplays(
  context: Context,
  caller: Caller,
  webhookId: string,
  paging: Paging,
): Promise<Page<Replay>> {
  await getWebhookRow(context.db, caller, webhookId);
  const pages = await listReplaysOf(context, caller, [webhookId], paging);
  return pages.get(webhookId) ?? emptyPage(paging);
}

/** One page for each webhook. */
export function listReplaysOf(
  { db }: Context,
  caller: Caller,
  webhookIds: string[],
  paging: Paging,
): Promise<Map<string, Page<Replay>>> {
  return pagesByParent(
    'replay',
    paging,
    (slice) => listReplayPages(db, caller, webhookIds, slice),
    (rows) => presentReplays(db, caller, rows),
  );
}

/** The counts of a running replay come from its deliveries, since its row lags behind. */
async function presentReplays(
  db: Db,
  { projectId }: Pick<Caller, 'projectId'>,
  rows: ReplayRow[],
): Promise<Replay[]> {
  const running = rows.filter(({ status }) => status === 'running').map(({ id }) => id);
  const outcomes = await countOutcomesOf(db, projectId, running);
  return rows.map((row) => {
    const period = { from: row.since, to: row.until };
    const counts = { pending: 0, ...outcomes.get(row.id) };
    return present(Replay, { ...row, ...period, status_filter: row.statuses, ...counts });
  });
}

async function refuseUnready(db: Db, { id, project_id, status }: WebhookRow): Promise<void> {
  if (status === 'disabled') {
    throw new AppError('conflict', 'The webhook is disabled: its deliveries would be skipped.', {
      hint: ({ operation }) =>
        `Enable it first, by ${operation('updateWebhook')} with \`{"active": true}\`.`,
    });
  }
  const running = await findRunningReplay(db, project_id, id);
  if (running === undefined) return;
  throw new AppError('conflict', `The replay ${running} is running on this webhook.`, {
    hint: 'Wait until it has concluded.',
    details: { replay_id: running },
  });
}

/** Either name may be given for each bound. Issues have the names that were. */
function readRange(input: ReplayDeliveries, keptMs: number): { since: Date; until: Date } {
  const nowMs = Date.now();
  const [first, last] = [
    input.since === undefined ? 'from' : 'since',
    input.until === undefined ? 'to' : 'until',
  ] as const;
  const actual = input[first]!;
  const since = new Date(actual);
  const given = input[last];
  const until = new Date(given === undefined ? nowMs : Math.min(Date.parse(given), nowMs));
  const path = [first];
  if (since >= until) {
    const message: Text = ({ field }) =>
      `must be before ${field(last)}, which is at most the current time`;
    const limit = until.toISOString();
    throw validationError([{ path, code: `not_before_${last}`, message, actual, limit }]);
  }
  if (since.getTime() < nowMs - keptMs) {
    const limit = new Date(nowMs - keptMs).toISOString();
    const message = `must not be before ${limit}: older events have been pruned`;
    throw validationError([{ path, code: 'before_retention', message, actual, limit }]);
  }
  return { since, until };
}
