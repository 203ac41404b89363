// Replays: the deliveries of a webhook's past, sent again, as the wire shows their progress.

export const replayStatuses = ['running', 'completed', 'canceled'] as const;
export type ReplayStatus = (typeof replayStatuses)[number];

/** Deliveries that have concluded, and events that this webhook never had a delivery of. */
export const replayedStatuses = ['failed', 'skipped', 'canceled', 'delivered', 'missing'] as const;
export type ReplayedStatus = (typeof replayedStatuses)[number];
