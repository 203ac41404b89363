// Commits events the way operations do, and waits until all that follows from them is recorded.
import { setTimeout as sleep } from 'node:timers/promises';
import { recordEvent } from '../../schema/database/events.ts';
import type { PostEventData } from '../../schema/posts.ts';
import type { Installation } from './installation.ts';

/** Makes a request body of about 1 KB. */
export const sampleData: PostEventData = {
  id: 'post_01h45ytscbebyvny4gc8cr8ma2',
  caption: 'Out now, on every network at once. '.repeat(3),
  status: 'published',
  created_at: '2026-01-31T12:00:00.000Z',
  scheduled_at: null,
  published_at: '2026-01-31T12:00:01.000Z',
  metadata: { campaign: 'launch' },
  results: ['ada', 'bob'].map((name) => ({
    id: `res_01h45ytscbebyvny4gc8cr8m${name}`,
    social_account_id: `sa_01h45ytscbebyvny4gc8cr8m${name}`,
    platform: 'sandbox',
    account_name: name,
    status: 'published',
    external_id: `sbx_${name}`,
    url: `http://127.0.0.1:4000/sandbox/posts/sbx_${name}`,
    published_at: '2026-01-31T12:00:01.000Z',
    error_code: null,
    error_message: null,
  })),
};

export async function commitEvent(installation: Installation): Promise<string> {
  const { db, doorbell, projectId } = installation;
  const { eventId } = await db
    .transaction()
    .execute((trx) =>
      recordEvent(
        trx,
        { projectId, kind: 'post.published', data: sampleData },
        { previewEvents: false },
      ),
    );
  doorbell.ring('fanfare_outbox');
  doorbell.ring('fanfare_changes');
  return eventId!;
}

/** One transaction an event, twenty at a time. */
export async function commitEvents(installation: Installation, count: number): Promise<void> {
  let left = count;
  async function loop(): Promise<void> {
    while (left-- > 0) await commitEvent(installation);
  }
  await Promise.all(Array.from({ length: 20 }, loop));
}

/** Throws when something is still waiting after the time, or an attempt was not logged. */
export async function waitForAllDelivered(
  { db }: Installation,
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
    if (Date.now() > deadline) throw new Error(`Not all is delivered after ${timeoutMs} ms.`);
    await sleep(20);
  }
}

/** Deliveries that have arrived, and the attempts that were recorded for all. */
export async function countRecorded({ db }: Installation) {
  const deliveries = await db
    .selectFrom('deliveries')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('status', '=', 'delivered')
    .executeTakeFirstOrThrow();
  const attempts = await db
    .selectFrom('delivery_attempts')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .executeTakeFirstOrThrow();
  return { delivered: Number(deliveries.n), attempts: Number(attempts.n) };
}
