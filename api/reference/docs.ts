// The API reference: the OpenAPI document, a viewer for it, and the error codes.
import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { html } from 'hono/html';
import packageJson from '../../package.json' with { type: 'json' };
import {
  postingErrorAnchor,
  postingErrors,
  type PostingErrorCode,
} from '../../schema/posts/errors.ts';
import { errorKinds, type ErrorCode } from '../../schema/wire/errors.ts';
import { render } from '../../schema/wire/names.ts';
import type { Context } from '../http/context.ts';
import { page, prose, type Html } from '../http/pages.ts';
import type { PublicPage } from '../http/route.ts';

const documentFile = new URL('../../schema/openapi.json', import.meta.url);
const viewerFile = new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference'));
const viewerVersion = packageJson.dependencies['@scalar/api-reference'];

export const docPages: PublicPage<Pick<Context, 'publicUrl'>>[] = [
  {
    path: '/v1/openapi.json',
    async respond({ publicUrl }, c) {
      const document = JSON.parse(await readFile(documentFile, 'utf8')) as object;
      return c.json({ ...document, servers: [{ url: publicUrl }] });
    },
  },
  { path: '/docs', respond: showReference },
  {
    path: '/docs/viewer.js',
    async respond(_, c) {
      const etag = `"${viewerVersion}"`;
      const headers = { ETag: etag, 'Cache-Control': 'public, max-age=31536000, immutable' };
      if (c.req.header('If-None-Match') === etag) return c.body(null, 304, headers);
      const type = 'text/javascript; charset=utf-8';
      return new Response(await openAsBlob(fileURLToPath(viewerFile), { type }), { headers });
    },
  },
];

/** Turns off everything in the viewer that calls another host or sends requests to the API. */
const viewerConfig = {
  url: '/v1/openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  hideTestRequestButton: true,
  hideDarkModeToggle: true,
  documentDownloadType: 'direct',
};

function showReference(): Promise<Response> {
  return page('Fanfare API', errorCodes(), {
    banner: html`<div class="viewer">
        <script id="api-reference" data-configuration="${JSON.stringify(viewerConfig)}"></script>
      </div>
      <script src="/docs/viewer.js?v=${viewerVersion}"></script>`,
    // The viewer inserts styles of its own.
    sources: "script-src 'self'; connect-src 'self'; img-src data:; style-src 'unsafe-inline'",
  });
}

/** The `docs_url` of an error leads here, so these tables need no script. */
function errorCodes(): Html {
  return html`<p>
      <a href="/docs">Reference</a> · <a href="/v1/openapi.json">OpenAPI document</a> ·
      <a href="#errors">Errors of requests</a> · <a href="#posting-errors">Errors of targets</a>
    </p>
    <h2 id="errors">Errors of requests</h2>
    <p>An error is <code>{"error": {"code", "message", …}, "request_id"}</code>.</p>
    ${Object.entries(errorKinds).map(
      ([code, { status, isRetriable }]) =>
        html`<section id="error-${code}">
          <h3>
            <code>${code}</code> <span class="quiet">${status}${isRetriable && ', retriable'}</span>
          </h3>
          <p>${prose(errorMeanings[code as ErrorCode])}</p>
        </section>`,
    )}
    <h2 id="posting-errors">Errors of targets</h2>
    <p>
      A target that failed has one of these codes in <code>error_code</code>, and the word beside it
      in <code>next_action</code>. Its <code>error_message</code> is the network's own, if the
      network sent one.
    </p>
    ${Object.entries(postingErrors).map(
      ([code, { message, hint, isRetriable, nextAction }]) =>
        html`<section id="${postingErrorAnchor(code as PostingErrorCode)}">
          <h3>
            <code>${code}</code>
            <span class="quiet">${nextAction}${isRetriable && ', retriable'}</span>
          </h3>
          <p>${message} ${prose(render(hint))}</p>
        </section>`,
    )}`;
}

/** What happened and what to do. `docs/errors.md` says the same. */
export const errorMeanings: Record<ErrorCode, string> = {
  malformed_json: 'The body is not JSON in UTF-8. Fix the body.',
  unauthorized: 'The API key is missing, unknown, revoked or expired. Send a valid key.',
  insufficient_scope:
    'The API key lacks a scope, or is a test key. Use a production key with the scope that the message names.',
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
  conflict: 'The state of the resource does not allow the request. Read the resource, then decide.',
  account_in_use:
    'The account is connected for another user. Only the page of a connect session reports this. Disconnect the account, or move it with your API key.',
  media_expired: 'The media of the target were deleted. Create a new post with new media.',
  idempotency_conflict:
    'The `Idempotency-Key` was used with another request, or by an API key whose answer yours may not see. Use a new key for a new request.',
  cursor_expired:
    'The changes after this cursor are no longer stored. Resume from `oldest_cursor`, or read the state again.',
  upload_url_expired: 'The upload URL has expired. Renew it.',
  payload_too_large: 'The body or the file is too large. Send less.',
  unsupported_media_type:
    'The body was not sent as `application/json`, or the body of an upload is JSON, a form or encoded. Set `Content-Type: application/json`, or upload the bytes of the file as they are.',
  validation_error: 'Some fields are invalid. Fix each field that `issues` names by its path.',
  rate_limited: 'The project sent too many requests. Wait as long as `Retry-After` says.',
  slow_consumer: 'A client read its live stream too slowly. Resume from the last cursor.',
  internal: 'Fanfare failed unexpectedly. Try again. The log has the cause under the request ID.',
  unavailable: 'A service that Fanfare needs is unavailable. Wait as long as `Retry-After` says.',
  media_not_configured: 'This installation stores no media. Ask the operator for a media store.',
  media_storage_full:
    'The media store has no space left. Ask the operator, then send the bytes again.',
};
