// Every workflow of the worker's bundle.
export { changeResult } from './change-result.ts';
export { checkAccount } from './check-account.ts';
export { deliverEvents } from './deliver-events.ts';
export { followResult } from './follow-result.ts';
export { fetchMedia } from './fetch-media.ts';
export { pruneRecords } from './prune-records.ts';
export { publishPost } from './publish-post.ts';
export { publishPosts } from './publish-posts.ts';
export { refreshLogins } from './refresh-logins.ts';
export { replayDeliveries } from './replay-deliveries.ts';
export { retryDelivery } from './retry-delivery.ts';
export { wakeResult } from './wake-result.ts';
