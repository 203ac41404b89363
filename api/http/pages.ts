// The layout and the style sheet of every hosted page.
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { ProjectRow } from '../../schema/database/tables.ts';

export type Html = ReturnType<typeof html>;

/** The project in whose name a page is shown. */
export interface Brand {
  name: string;
  /** `#rrggbb`. Null: the default color. */
  color: string | null;
  logoUrl: string | null;
  /** Links at the end of the page. Absent: none. */
  links?: readonly { label: string; url: string }[];
}

export interface PageOptions {
  status?: number;
  brand?: Brand;
  /** Default: the page's heading. */
  documentTitle?: string;
  /** Whether answers to a form on the page may redirect to another origin. */
  isFormLeaving?: boolean;
  refreshAfterS?: number;
  /** Shown above the page's text, across the whole window. */
  banner?: Html;
  /** Whether the page shows images and videos of this server. */
  hasMedia?: boolean;
  /** Images of other servers that the page shows. */
  imageUrls?: readonly string[];
  /** Styles of this page, beyond those of every page. */
  css?: string;
  /** Directives of the Content-Security-Policy, beyond the style sheet. */
  sources?: string;
}

const css = `
:root { color-scheme: light dark; background: Canvas; color: CanvasText; --line: #8886; --quiet: #767676; --accent: #2457d6 }
@media (prefers-color-scheme: dark) { :root { --quiet: #999; --accent: #8fb0ff } }
body { margin: 0 }
.brand { font: 600 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem;
  border-bottom: 4px solid var(--brand, var(--accent)); overflow-wrap: anywhere;
  img { display: block; max-width: 100%; height: 2.5rem; object-fit: contain;
    object-position: left } }
.links { font: .875rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem;
  border-top: 1px solid var(--line);
  a { color: var(--quiet); margin-right: 1rem } }
.page { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 0 auto; padding: 2rem 1rem;
  h1 { font-size: 1.5rem; line-height: 1.2 }
  h2 { font-size: 1.1rem }
  h3 { font-size: 1rem; margin: 1rem 0 0; + p { margin: 0 } }
  h1, h3, p, label { overflow-wrap: anywhere }
  a { color: var(--accent) }
  article { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin: 1rem 0;
    h2 { margin: 0 }
    img, video { display: block; max-width: 100%; max-height: 32rem; margin: 1rem 0 } }
  .quiet, time { color: var(--quiet); font-size: .875rem; font-weight: normal }
  .text { white-space: pre-wrap; overflow-wrap: anywhere }
  pre { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; padding: .75rem;
    font: .8125rem/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
  label { display: block; margin: 1rem 0 .25rem; font-weight: 600 }
  input, textarea { font: inherit; box-sizing: border-box; width: 100%; max-width: 28rem;
    padding: .5rem; border-radius: .375rem; border: 1px solid var(--quiet) }
  .choice { display: flex; align-items: baseline; gap: .5rem; margin: .75rem 0;
    input { width: auto } label { margin: 0 } .quiet { display: block } }
  button { font: inherit; padding: .5rem 1.25rem; margin: 1rem .5rem 0 0; border-radius: .375rem;
    border: 1px solid var(--accent); background: none; color: var(--accent); cursor: pointer }
  button.first { background: var(--brand, #2457d6); border-color: var(--on-brand, #2457d6);
    color: var(--on-brand, #fff) }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  .summary { border-left: 4px solid #c62828; padding: .25rem 1rem; margin: 1rem 0;
    h2 { margin: 0 } ul { margin: .25rem 0; padding-left: 1.25rem; overflow-wrap: anywhere } }
  :target { background: #fc03 }
  [role=alert] { border-left: 4px solid #c62828; padding: .25rem .75rem; margin: 1rem 0 }
}
.viewer { overflow-x: clip }
body:has(.page :target) .viewer { display: none }
`;

/**
 * `X-Frame-Options` is for old browsers. Because of `Referrer-Policy`, links don't send the address of the
 * page.
 */
export const frameHeaders = { 'X-Frame-Options': 'DENY', 'Referrer-Policy': 'no-referrer' };

const style = raw(`<style>${css}</style>`);
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const styleHash = hashOf(css);

export async function page(
  title: string,
  body: Html,
  options: PageOptions = {},
): Promise<Response> {
  const { status = 200, isFormLeaving = false, refreshAfterS, banner, hasMedia, sources } = options;
  const { brand, documentTitle = title, imageUrls = [], css: ownCss } = options;
  const colors = brand && brand.color !== null ? brandCss(brand.color) : undefined;
  const ownStyles = [colors, ownCss].filter((text) => text !== undefined);
  const images = [
    ...(hasMedia ? ["'self'"] : []),
    ...[...(brand?.logoUrl ? [brand.logoUrl] : []), ...imageUrls].map((url) => new URL(url).origin),
  ];
  const text = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${documentTitle}</title>
        ${style} ${ownStyles.map((text) => raw(`<style>${text}</style>`))}
      </head>
      <body>
        ${banner} ${brand && header(brand)}
        <main class="page">
          <h1>${title}</h1>
          ${body}
        </main>
        ${brand?.links && brand.links.length > 0 && footer(brand.links)}
      </body>
    </html> `;
  return new Response(text.toString(), {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': [
        "default-src 'none'",
        sources ?? ['style-src', styleHash, ...ownStyles.map(hashOf)].join(' '),
        // Browsers obey only the first directive of a name.
        ...(images.length > 0 ? [`img-src ${[...new Set(images)].join(' ')}`] : []),
        ...(hasMedia ? ["media-src 'self'"] : []),
        "base-uri 'none'",
        "frame-ancestors 'none'",
        // Browsers apply this rule to every redirect that follows the form.
        ...(isFormLeaving ? [] : ["form-action 'self'"]),
      ].join('; '),
      ...frameHeaders,
      'Cache-Control': 'no-store',
      ...(refreshAfterS === undefined ? {} : { Refresh: String(refreshAfterS) }),
    },
  });
}

/** The brand of pages for users of the project. */
export function brandOf(project: ProjectRow): Brand {
  const links = [
    { label: 'Privacy policy', url: project.privacy_url },
    { label: 'Terms', url: project.terms_url },
    { label: 'Support', url: project.support_url },
  ];
  return {
    name: project.name,
    color: project.brand_color,
    logoUrl: project.logo_url,
    links: links.flatMap(({ label, url }) => (url === null ? [] : [{ label, url }])),
  };
}

function header({ name, logoUrl }: Brand): Html {
  return html`<header class="brand">
    ${logoUrl === null ? name : html`<img src="${logoUrl}" alt="${name}" />`}
  </header>`;
}

/** Links open in a new tab, so that a form on the page keeps what was typed. */
function footer(links: NonNullable<Brand['links']>): Html {
  return html`<footer class="links">
    ${links.map(
      ({ label, url }) => html`<a href="${url}" target="_blank" rel="noopener">${label}</a>`,
    )}
  </footer>`;
}

/** Text on the color is black or white, whichever has more contrast: at least 4.5 on any color. */
function brandCss(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  // Relative luminance and contrast: WCAG 2.2.
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const isLight = (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05);
  return `:root { --brand: ${color}; --on-brand: ${isLight ? '#000' : '#fff'} }`;
}

/** Our own text: backticks mark code, and addresses become links. */
export function prose(text: string | undefined): Html {
  return markCode(text, link);
}

/** Text that may quote a network: backticks mark code, and nothing becomes a link. */
export function plain(text: string): Html {
  return markCode(text, (part) => part);
}

function markCode(
  text: string | undefined,
  show: (part: string) => string | (Html | string)[],
): Html {
  const parts = (text ?? '').split('`');
  // A backtick without its other half marks nothing.
  if (parts.length % 2 === 0) return html`${show(text ?? '')}`;
  return html`${parts.map((part, i) => (i % 2 === 0 ? show(part) : html`<code>${part}</code>`))}`;
}

/** Opens in a new tab, so that a form keeps what was typed. */
function link(text: string): (Html | string)[] {
  const parts = text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/);
  return parts.map((part, i) =>
    i % 2 === 0 ? part : html`<a href="${part}" target="_blank" rel="noopener">${part}</a>`,
  );
}
