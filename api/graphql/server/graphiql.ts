// The GraphiQL page and its Content-Security-Policy.
import { createHash } from 'node:crypto';
import type { GraphiQLOptions, Plugin } from 'graphql-yoga';
import { frameHeaders } from '../../http/pages.ts';

const scriptPattern = /<div id="root"><\/div>\s*<script>([\s\S]*)<\/script>/;

export interface Graphiql {
  render(this: void, options?: GraphiQLOptions): Promise<string>;
  /** Sets the headers of the page. */
  readonly plugin: Plugin;
}

export function createGraphiql(): Graphiql {
  /** The page has one script, which never changes. */
  let scriptHash: string | undefined;

  return {
    // This package works offline. It takes 50 MB of memory, so it loads on the first request.
    async render(options) {
      const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
      const page = renderGraphiQL(options);
      scriptHash ??= createHash('sha256').update(scriptPattern.exec(page)![1]!).digest('base64');
      return page;
    },
    plugin: {
      onResponse({ response }) {
        if (!response.headers.get('Content-Type')?.startsWith('text/html')) return;
        if (scriptHash === undefined || response.headers.has('Content-Security-Policy')) return;
        const headers = { ...frameHeaders, 'Content-Security-Policy': policyOf(scriptHash) };
        for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      },
    },
  };
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
