// The API reference: the OpenAPI document, a viewer for it, and the error codes.
import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { html } from 'hono/html';
import { LRUCache } from 'lru-cache';
import {
  postingErrorAnchor,
  postingErrors,
  type PostingErrorCode,
} from '../../schema/posts/errors.ts';
import { errorKinds, type ErrorCode } from '../../schema/wire/errors.ts';
import { render } from '../../schema/wire/names.ts';
import type { Context } from '../http/context.ts';
import { page } from '../http/pages/page.ts';
import { prose, type Html } from '../http/pages/prose.ts';
import type { PublicPage } from '../http/route.ts';
import { errorMeanings } from './error-meanings.ts';
import viewerRelease from './viewer/release.json' with { type: 'json' };

const documentFile = new URL('../../schema/openapi.json', import.meta.url);
/**
 * A copy of the viewer, because the viewer's package installs 265 others. `scripts/update-viewer.ts` replaces
 * it.
 */
const viewerFile = new URL('viewer/standalone.js', import.meta.url);

export const docPages: PublicPage<Pick<Context, 'publicUrl'>>[] = [
  {
    path: '/v1/openapi.json',
    async respond({ publicUrl }, c) {
      const { bytes, etag } = await documents.memo(publicUrl);
      const headers = { ETag: etag, 'Cache-Control': 'no-cache' };
      if (c.req.header('If-None-Match') === etag) return c.body(null, 304, headers);
      return c.body(bytes, 200, { ...headers, 'Content-Type': 'application/json' });
    },
  },
  { path: '/docs', respond: showReference },
  {
    path: '/docs/viewer.js',
    async respond(_, c) {
      // Weak, since the script is compressed.
      const etag = `W/"${viewerRelease.version}"`;
      const headers = { ETag: etag, 'Cache-Control': 'public, max-age=31536000, immutable' };
      if (c.req.header('If-None-Match') === etag) return c.body(null, 304, headers);
      const type = 'text/javascript; charset=utf-8';
      return new Response(await openAsBlob(fileURLToPath(viewerFile), { type }), { headers });
    },
  },
];

/** A process has one public URL, so it makes the document once. */
const documents = new LRUCache<string, ReturnType<typeof makeOpenApi>>({
  max: 1,
  memoMethod: makeOpenApi,
});

async function makeOpenApi(publicUrl: string) {
  const document = JSON.parse(await readFile(documentFile, 'utf8')) as object;
  const servers = [{ url: publicUrl, description: 'This installation.' }];
  const bytes = new TextEncoder().encode(JSON.stringify({ ...document, servers }));
  const hash = createHash('sha256').update(bytes).digest('base64url');
  return { bytes, etag: `W/"${hash}"` };
}

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
      <script src="/docs/viewer.js?v=${viewerRelease.version}"></script>`,
    // The viewer inserts styles of its own.
    sources: "script-src 'self'; connect-src 'self'; img-src data:; style-src 'unsafe-inline'",
  });
}

/** The `docs_url` of an error leads here, so these tables work without a script. */
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
