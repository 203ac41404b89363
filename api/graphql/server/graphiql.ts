// The GraphiQL page: its script, its Content-Security-Policy, and how browsers cache it.
import { createHash } from 'node:crypto';
import type { GraphiQLOptions, Plugin } from 'graphql-yoga';
import { frameHeaders } from '../../http/pages.ts';

const scriptPattern = /<div id="root"><\/div>\s*<script>([\s\S]*)<\/script>/;

/**
 * Enters the API key of an address like `/graphql#key=…`. Browsers don't send this part of an address, so
 * no answer contains a key.
 */
const headersFromAddress = `(() => {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  return key ? { initialHeaders: JSON.stringify({ Authorization: 'Bearer ' + key }) } : {};
})()`;

/** The address of GraphiQL with this key. */
export function graphiqlUrl(publicUrl: string, key: string): string {
  return `${publicUrl}/graphql#${new URLSearchParams({ key }).toString()}`;
}

interface Rendered {
  page: string;
  headers: Record<string, string>;
}

/** Renders the page at `path`, which never changes, and sets its headers. */
export function createGraphiql(path: string) {
  let rendering: Promise<Rendered> | undefined;
  let headers: Rendered['headers'] | undefined;

  async function render(options?: GraphiQLOptions): Promise<string> {
    const rendered = await (rendering ??= renderPage(options));
    headers = rendered.headers;
    return rendered.page;
  }

  const plugin: Plugin = {
    onResponse({ request, response, setResponse, fetchAPI }) {
      const { headers: answered } = response;
      if (!headers || !answered.get('Content-Type')?.startsWith('text/html')) return;
      if (new URL(request.url).pathname !== path) return;
      for (const [name, value] of Object.entries(headers)) answered.set(name, value);
      // The same address answers operations.
      answered.append('Vary', 'Accept');
      if (request.headers.get('If-None-Match') !== headers['ETag']) return;
      answered.delete('Content-Length');
      setResponse(new fetchAPI.Response(null, { status: 304, headers: answered }));
    },
  };
  return { render, plugin };
}

/** The package works offline. It takes 50 MB of memory, so it loads on the first request. */
async function renderPage(options: GraphiQLOptions = {}): Promise<Rendered> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const given = JSON.stringify(options);
  const page = renderGraphiQL(options).replace(
    given,
    () => `{ ...${given}, ...${headersFromAddress} }`,
  );
  const hash = createHash('sha256').update(scriptPattern.exec(page)![1]!).digest('base64');
  const headers = {
    ...frameHeaders,
    'Content-Security-Policy': policyOf(hash),
    // Weak, since the page is compressed.
    ETag: `W/"${hash}"`,
    'Cache-Control': 'no-cache',
  };
  return { page, headers };
}

/** The editor creates workers from blobs, embeds fonts and images, and sets inline styles. */
function policyOf(scriptHash: string): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'`,
    'worker-src blob:',
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
