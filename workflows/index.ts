// Every workflow of the worker's bundle.
export { deliverEvents } from './deliver-events.ts';
export { publishPost } from './publish-post.ts';
export { retryDelivery } from './retry-delivery.ts';
