// The layout of every hosted page.
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { footer, header, type Brand } from './brand.ts';
import { brandCss, css } from './css.ts';
import { tileOf } from './marks.ts';
import type { Html } from './prose.ts';
import type { Texts } from './texts.ts';
import { en } from './texts/en.ts';

export interface PageOptions {
  status?: number;
  /**
   * The language of a page for users, which is a card. Default: a page for developers, in English whatever the browser
   * asks for.
   */
  texts?: Texts;
  brand?: Brand;
  /** The network that the page is about. */
  network?: string;
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

/** Other hosts could change the policy: `;` and `,` end a directive, and `*` is every host. */
const hasPlainHost = ({ hostname }: URL) => /^[a-z\d.-]+$/.test(hostname);

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
  const { texts, network, brand, documentTitle = title, imageUrls = [], css: ownCss } = options;
  const colors = brand && brand.color !== null ? brandCss(brand.color) : undefined;
  const ownStyles = [colors, ownCss].filter((text) => text !== undefined);
  const images = [
    ...(hasMedia || brand ? ["'self'"] : []),
    ...imageUrls
      .map((url) => new URL(url))
      .filter(hasPlainHost)
      .map(({ origin }) => origin),
  ];
  const text = await html`<!doctype html>
    <html lang="${texts?.lang ?? 'en'}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${documentTitle}</title>
        ${brand?.iconPath && html`<link rel="icon" href="${brand.iconPath}" />`} ${style}
        ${ownStyles.map((text) => raw(`<style>${text}</style>`))}
      </head>
      <body ${texts && html`class="hosted"`}>
        ${banner} ${brand && header(brand)}
        <main class="page">
          ${network !== undefined && tileOf(network)}
          <h1>${title}</h1>
          ${body}
        </main>
        ${brand?.links && brand.links.length > 0 && footer(brand.links, texts ?? en)}
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
      ...(texts && { 'Content-Language': texts.lang, Vary: 'Accept-Language' }),
      ...(refreshAfterS === undefined ? {} : { Refresh: String(refreshAfterS) }),
    },
  });
}
