// Commits events the way operations do, and waits until all that follows from them is recorded.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notifier } from '../../schema/database/notifier.ts';
import { inStatement, inTransaction } from '../../schema/database/transaction.ts';
import type { Db } from '../../schema/database/tables.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import type { EventType } from '../../schema/event-types.ts';
import type { PostEventData } from '../../schema/posts/posts.ts';
import { whileStopped, type Installation } from './installation.ts';

/** Makes a request body of about 1 KB. */
export const sampleData: PostEventData = {
  id: 'post_01h45ytscbebyvny4gc8cr8ma2',
  caption: 'Out now, on every network at once. '.repeat(3),
  status: 'published',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  revision: 5,
  scheduled_at: null,
  published_at: '2026-01-31T12:00:01.000Z',
  metadata: { campaign: 'launch' },
  labels: [],
  results: ['ada', 'bob'].map((name) => ({
    id: `res_01h45ytscbebyvny4gc8cr8m${name}`,
    social_account_id: `sa_01h45ytscbebyvny4gc8cr8m${name}`,
    platform: 'sandbox',
    account_name: name,
    thread_position: null,
    status: 'published',
    external_id: `sbx_${name}`,
    url: `http://127.0.0.1:4000/sandbox/posts/sbx_${name}`,
    visibility: 'public',
    published_at: '2026-01-31T12:00:01.000Z',
    edited_at: null,
    unpublished_at: null,
    error_code: null,
    error_message: null,
    error_hint: null,
    failure_stage: null,
    is_retriable: false,
    next_action: 'none',
    first_comment: null,
    steps: [],
  })),
};

const type = 'post.published';

/** Commits one event. It is a single statement, so it needs no BEGIN and COMMIT. */
export async function commitEvent(
  { db, notifier }: { db: Db; notifier: Pick<Notifier, 'notify'> },
  projectId: string,
): Promise<string> {
  const { eventId } = await inStatement(db, notifier, (writer) =>
    recordEvent(
      writer,
      { projectId, environment: 'production', type, data: sampleData },
      { previewEvents: false },
    ),
  );
  return eventId!;
}

/** Commits events in one transaction. Returns their ids. */
export function commitEventsTogether(
  { db, notifier, projectId }: Installation,
  count: number,
  type: EventType = 'post.published',
): Promise<string[]> {
  return inTransaction(db, notifier, async (trx) => {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) {
      const event = { projectId, environment: 'production', type, data: sampleData } as const;
      ids.push((await recordEvent(trx, event, { previewEvents: false })).eventId!);
    }
    return ids;
  });
}

/** Twenty at a time, to the projects in turn. */
export async function commitEvents(
  installation: Installation,
  count: number,
  projectIds: readonly string[] = [installation.projectId],
): Promise<void> {
  let left = count;
  async function loop(): Promise<void> {
    while (left-- > 0) await commitEvent(installation, projectIds[left % projectIds.length]!);
  }
  await Promise.all(Array.from({ length: 20 }, loop));
}

export interface DeliveredRound {
  /** Deliveries per second, from the first commit to the last record. */
  rate: number;
  /** Events per second, while they were committed. */
  committedRate: number;
}

/** For projects with one webhook each. */
export async function deliverRound(
  installation: Installation,
  count: number,
  projectIds?: readonly string[],
): Promise<DeliveredRound> {
  const startedAt = performance.now();
  const perSecond = () => count / ((performance.now() - startedAt) / 1_000);
  await commitEvents(installation, count, projectIds);
  const committedRate = perSecond();
  await waitForAllDelivered(installation, { timeoutMs: 120_000 });
  return { rate: perSecond(), committedRate };
}

/**
 * Deliveries per second once the events are committed. The program is stopped until then, because the bare loop
 * makes no events either. For projects with one webhook each.
 */
export async function deliverBacklog(
  installation: Installation,
  count: number,
  projectIds?: readonly string[],
): Promise<number> {
  await whileStopped(installation, () => commitEvents(installation, count, projectIds));
  const startedAt = performance.now();
  await waitForAllDelivered(installation, { timeoutMs: 120_000 });
  return count / ((performance.now() - startedAt) / 1_000);
}

/** Throws when something is still waiting after the time, or an attempt was not logged. */
export async function waitForAllDelivered(
  { db, program }: Installation,
  { timeoutMs }: { timeoutMs: number },
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const waiting = await db
      .selectFrom('deliveries')
      .select('id')
      .where((eb) => eb.or([eb('status', '=', 'pending'), eb('status', '=', 'retrying')]))
      .limit(1)
      .executeTakeFirst();
    if (!waiting) return;
    if (Date.now() > deadline) {
      throw new Error(`Not all is delivered after ${timeoutMs} ms:\n${program.output()}`);
    }
    await sleep(20);
  }
}

/** Throws unless so many deliveries have arrived, with one attempt recorded for each. */
export async function checkRecorded({ db }: Installation, expected: number): Promise<void> {
  const deliveries = await db
    .selectFrom('deliveries')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('status', '=', 'delivered')
    .executeTakeFirstOrThrow();
  const attempts = await db
    .selectFrom('delivery_attempts')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .executeTakeFirstOrThrow();
  if (Number(deliveries.n) !== expected || Number(attempts.n) !== expected) {
    throw new Error(
      `${expected} were expected; ${deliveries.n} were delivered in ${attempts.n} attempts.`,
    );
  }
}
