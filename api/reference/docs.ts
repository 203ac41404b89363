// The API document: as OpenAPI, and as one page without script or outside asset.
import { renderDocs } from './docs-page.ts';
import { writeOpenApi, type OpenApiDocument } from './openapi.ts';
import { page, type Html } from '../http/pages.ts';
import type { PublicPage } from '../http/public-page.ts';
import { routes } from '../http/routes.ts';

let written: { document: OpenApiDocument; body: Html } | undefined;

/** Written when first asked for, and the same ever after. */
function documents() {
  if (!written) {
    const document = writeOpenApi(routes);
    written = { document, body: renderDocs(document) };
  }
  return written;
}

export const docPages: PublicPage[] = [
  { path: '/v1/openapi.json', respond: (_, c) => c.json(documents().document) },
  { path: '/docs', respond: () => page('Fanfare API', documents().body) },
];
