// The layout of every page that we write ourselves: plain accessible HTML, no scripts.
import { createHash } from 'node:crypto';
import { html, Html } from './html.ts';

export { html, Html, prose } from './html.ts';

export interface PageOptions {
  status?: number;
  /** Whether a form on the page may end, by redirects, at another origin. */
  isFormLeaving?: boolean;
  refreshAfterS?: number;
  headers?: Record<string, string>;
}

const css = `
:root { color-scheme: light dark; --line: #8886; --quiet: #767676; --accent: #2457d6 }
@media (prefers-color-scheme: dark) { :root { --quiet: #999; --accent: #8fb0ff } }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 0 auto; padding: 2rem 1rem }
h1 { font-size: 1.5rem; line-height: 1.2 } h2 { font-size: 1.1rem; margin: 0 }
a { color: var(--accent) }
article { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin: 1rem 0 }
.quiet, dt, time { color: var(--quiet); font-size: .875rem }
.text { white-space: pre-wrap; overflow-wrap: anywhere }
pre { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; padding: .75rem;
  font: .8125rem/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600 }
input, textarea { font: inherit; width: 100%; max-width: 28rem; padding: .5rem; border-radius: .375rem;
  border: 1px solid var(--line) }
button { font: inherit; padding: .5rem 1.25rem; margin: 1rem .5rem 0 0; border-radius: .375rem;
  border: 1px solid var(--accent); background: none; color: var(--accent); cursor: pointer }
button.first { background: #2457d6; border-color: #2457d6; color: #fff }
td { padding: .125rem 1rem .125rem 0; vertical-align: top }
td:last-child, h1, h3, p, label { overflow-wrap: anywhere }
:target { background: #fc03 }
[role=alert] { border-left: 4px solid #c62828; padding: .25rem .75rem; margin: 1rem 0 }
`;

/** No other site may show a page in a frame, and a link doesn't send the page's address. */
export const frameHeaders = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

const style = new Html(`<style>${css}</style>`);
const styleHash = createHash('sha256').update(css).digest('base64');

export function page(title: string, body: Html, options: PageOptions = {}): Response {
  const { status = 200, isFormLeaving = false, refreshAfterS, headers = {} } = options;
  const { text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${style}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `;
  return new Response(text, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': [
        `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'`,
        "frame-ancestors 'none'",
        // A browser holds a form to its page's rule through every redirect that answers it.
        ...(isFormLeaving ? [] : ["form-action 'self'"]),
      ].join('; '),
      ...frameHeaders,
      'Cache-Control': 'no-store',
      ...(refreshAfterS === undefined ? {} : { Refresh: String(refreshAfterS) }),
      ...headers,
    },
  });
}
