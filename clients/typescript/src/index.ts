// The client of Fanfare.
export { Fanfare, type FanfareOptions } from './client.ts';
export { FanfareError, type ClientErrorCode, type Issue } from './errors.ts';
export type { Duration } from './durations.ts';
export type { CallOptions } from './send.ts';
export { List, type Page } from './list.ts';
export type { LiveOptions, LivePost, LiveResult, PostUpdate } from './live.ts';
export type { MediaSource } from './media-source.ts';
export type { MediaUploadOptions } from './resources/media.ts';
export type { DeletedPost, Post, WaitOptions, WrittenPost } from './resources/posts.ts';
export { uploadFile, type UploadOptions } from './upload.ts';
export {
  verifyWebhook,
  WebhookVerificationError,
  type VerifyOptions,
  type WebhookErrorCode,
  type WebhookHeaders,
  type WebhookMessage,
} from './verify-webhook.ts';
export type { Schemas } from './operations.ts';
