// Records test events: each of its own, with one delivery to the webhook that is tested.
import { sql } from 'kysely';
import type { KeyEnvironment } from '../../api-keys.ts';
import type { EventType } from '../../events.ts';
import { newId } from '../../wire/ids.ts';
import type { Transaction } from '../tables.ts';
import { renderBody } from './record.ts';

export interface NewTestEvent {
  projectId: string;
  webhookId: string;
  /** Of the webhook. */
  environment: KeyEnvironment;
  kind: EventType;
  data: object;
}

/** Tell of both changes, and wake the relay after the commit. */
export async function recordTestEvent(
  trx: Transaction,
  { projectId, webhookId, environment, kind, data }: NewTestEvent,
): Promise<{ eventId: string; deliveryId: string }> {
  const eventId = newId('event');
  const deliveryId = newId('delivery');
  await sql`
    with moment as materialized (
      select date_trunc('milliseconds', clock_timestamp()) as recorded_at
    ), event as (
      insert into events (id, project_id, environment, kind, body, is_test, created_at)
      select ${eventId}, ${projectId}, ${environment}, ${kind}, ${renderBody(kind, data)}, true,
        recorded_at
      from moment
    )
    insert into deliveries (id, project_id, webhook_id, event_id, event, status, trigger,
      next_attempt_at, created_at)
    select ${deliveryId}, ${projectId}, ${webhookId}, ${eventId}, ${kind}, 'pending', 'test',
      recorded_at, recorded_at
    from moment`.execute(trx);
  return { eventId, deliveryId };
}
