// What may happen to a subject of the live feed, in the words that its streams tell.
import type { ChangeSubject } from './database/tables.ts';

export const changeKinds = {
  account: [
    'connected',
    'refreshed',
    'reconnect_required',
    'disconnected',
    'quota_warning',
    'quota_exceeded',
  ],
  delivery: [
    'created',
    'attempted',
    'retrying',
    'delivered',
    'failed',
    'skipped',
    'canceled',
    'replayed',
  ],
  event: ['recorded'],
  post: [
    'created',
    'updated',
    'scheduled',
    'rescheduled',
    'unscheduled',
    'submitted',
    'started',
    'result.publishing',
    'result.waiting',
    'result.published',
    'result.failed',
    'result.canceled',
    'result.retried',
    'published',
    'partial',
    'failed',
    'canceled',
    'deleted',
  ],
  replay: ['created', 'progressed', 'completed', 'canceled'],
  webhook: [
    'created',
    'updated',
    'rotated',
    'failing',
    'recovered',
    'disabled',
    'enabled',
    'deleted',
  ],
} as const satisfies Record<ChangeSubject, readonly string[]>;

export type ChangeKind<Subject extends ChangeSubject> = (typeof changeKinds)[Subject][number];

/** What a stream tells besides: neither has happened to the subject. */
export const presentState = 'present';
export const bookmark = 'bookmark';
