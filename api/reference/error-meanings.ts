// The meaning of each error of a request, for the API reference and the OpenAPI document.
import type { ErrorCode } from '../../schema/wire/errors.ts';

/** What happened and what to do. `docs/errors.md` says the same. */
export const errorMeanings: Record<ErrorCode, string> = {
  malformed_json: 'The body is not JSON in UTF-8. Fix the body.',
  malformed_csv: 'The body is not CSV in UTF-8. Fix the line that the message names.',
  unauthorized: 'The API key is missing, unknown, revoked or expired. Send a valid key.',
  insufficient_scope:
    'The API key lacks a scope, or is a test key. Use a production key with the scope that the message names.',
  origin_not_allowed:
    'A page of this origin may not call the endpoint. The operator can allow the origin in `FANFARE_CORS_ORIGINS`.',
  quota_exceeded:
    "A target exceeds its account's monthly limit, or the project's media are too large together. Post next month, delete media, or raise the limit. `issues` names each such target.",
  upload_url_invalid:
    'The upload URL is incomplete, wrong or replaced. Use the URL as it was given, or renew it.',
  not_found:
    'The resource does not exist, or it belongs to another project or environment. Check the ID and the key.',
  method_not_allowed: 'The path does not support this method. Use a method that `Allow` lists.',
  not_acceptable:
    'The client accepts no media type that GraphQL answers with. Accept `application/json`, and `text/event-stream` for a subscription.',
  upload_stalled:
    'No byte of an upload arrived for 30 seconds. Ask where to continue, then send the rest.',
  upload_timeout: 'An upload took 15 minutes in all. Ask where to continue, then send the rest.',
  conflict: 'The state of the resource does not allow the request. Read the resource, then decide.',
  upload_in_progress:
    'Another upload of the same bytes is running. Wait as long as `Retry-After` says, then ask where to continue.',
  account_in_use:
    'The account is connected for another user. Only the page of a connect session reports this. Disconnect the account, or move it with your API key.',
  reconnect_required:
    'The network no longer grants access to the account. Have its user connect it again.',
  has_replies:
    'Other parts of the post reply to the target and are public. Unpublish the last part of the thread first.',
  not_supported_by_network:
    'The API of the network cannot do this with the post. The hint says where to do it by hand.',
  too_late:
    'The network allows this only for a limited time after the publication, which has passed. Do it by hand.',
  media_expired: 'The media of the target were deleted. Create a new post with new media.',
  queue_full:
    'The queue has no free slot in the next 366 days. Add slots to it, or give the post a time.',
  queue_paused: 'The queue is paused and takes no new posts. Resume it, or give the post a time.',
  idempotency_conflict:
    'The `Idempotency-Key` was used with another request, or by an API key whose answer yours may not see. Use a new key for a new request.',
  cursor_expired:
    'The changes after this cursor are no longer stored. Resume from `oldest_cursor`, or read the state again.',
  upload_url_expired: 'The upload URL has expired. Renew it.',
  payload_too_large:
    'The body or the file is too large, or the body has more than 10,000 values or cells. `limit` has the maximum. Send less.',
  unsupported_media_type:
    'The body was not sent as `application/json` (or as `text/csv` where a request takes it), or the body of an upload is JSON, a form or encoded. Set `Content-Type: application/json`, or upload the bytes of the file as they are.',
  validation_error: 'Some fields are invalid. Fix each field whose path is in `issues`.',
  rate_limited:
    'The project sent too many requests, or an account had too many checks. Wait as long as `Retry-After` says.',
  slow_consumer: 'A client read its live stream too slowly. Resume from the last cursor.',
  internal: 'Fanfare failed unexpectedly. Try again. The log has the cause under the request ID.',
  unavailable: 'A service that Fanfare needs is unavailable. Wait as long as `Retry-After` says.',
  media_not_configured: 'This installation stores no media. Ask the operator for a media store.',
  media_storage_full:
    'The media store has no space left. Ask the operator, then send the bytes again.',
};
