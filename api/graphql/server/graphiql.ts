// Yoga plugin: the GraphiQL page, its script, its Content-Security-Policy, and how browsers cache it.
import { createHash } from 'node:crypto';
import type { GraphiQLOptions, Plugin } from 'graphql-yoga';
import { frameHeaders } from '../../http/pages/page.ts';

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

/** Answers browsers at `path`. Yoga's own plugin would answer at every address that ends with `path`. */
export function useGraphiql(path: string, options: GraphiQLOptions): Plugin {
  /** The page never changes. */
  let rendering: Promise<Rendered> | undefined;

  return {
    async onRequest({ request, url, endResponse, fetchAPI }) {
      const isPage = request.method === 'GET' && url.pathname === path;
      if (!isPage || !request.headers.get('Accept')?.includes('text/html')) return;
      const { page, headers } = await (rendering ??= renderPage(options));
      const isKnown = request.headers.get('If-None-Match') === headers['ETag'];
      const answer = { status: isKnown ? 304 : 200, headers: { ...headers } };
      endResponse(new fetchAPI.Response(isKnown ? null : page, answer));
    },
  };
}

/** The package works offline. It takes 50 MB of memory, so it loads on the first request. */
async function renderPage(options: GraphiQLOptions): Promise<Rendered> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const given = JSON.stringify(options);
  const page = renderGraphiQL(options).replace(
    given,
    () => `{ ...${given}, ...${headersFromAddress} }`,
  );
  const hash = createHash('sha256').update(scriptPattern.exec(page)![1]!).digest('base64');
  const headers = {
    ...frameHeaders,
    'Content-Type': 'text/html',
    'Content-Security-Policy': policyOf(hash),
    // Weak, since the page is compressed.
    ETag: `W/"${hash}"`,
    'Cache-Control': 'no-cache',
    // The same address answers operations.
    Vary: 'Accept',
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
