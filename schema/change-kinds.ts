// The changes of each subject of the live feed.

export const changeKinds = {
  account: [
    'connected',
    'updated',
    'refreshed',
    'expiring',
    'reconnect_required',
    'disconnected',
    'erased',
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
  media: ['created', 'uploaded', 'attached', 'failed', 'retried', 'deleted'],
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
    'result.changing',
    'result.edited',
    'result.updated',
    'result.unpublished',
    'result.change_failed',
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
} as const;

export type ChangeSubject = keyof typeof changeKinds;

export type ChangeKind<Subject extends ChangeSubject> = (typeof changeKinds)[Subject][number];

/** Messages without a change: the current state, and a newer cursor. */
export const presentState = 'present';
export const bookmark = 'bookmark';
