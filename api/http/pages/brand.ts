// The project on a hosted page: its name or logo, its color, and its links.
import { html } from 'hono/html';
import type { ProjectRow } from '../../../schema/database/tables.ts';
import type { Html } from './prose.ts';
import type { Texts } from './texts.ts';

/** The project in whose name a page is shown. */
export interface Brand {
  name: string;
  /** `#rrggbb`. Null: the default color. */
  color: string | null;
  logoUrl: string | null;
  /** Links at the end of the page. Absent: none. */
  links?: readonly { label: keyof Texts['links']; url: string }[];
}

/** The brand of pages for users of the project. */
export function brandOf(project: ProjectRow): Brand {
  const links = [
    { label: 'privacy' as const, url: project.privacy_url },
    { label: 'terms' as const, url: project.terms_url },
    { label: 'support' as const, url: project.support_url },
  ];
  return {
    name: project.name,
    color: project.brand_color,
    logoUrl: project.logo_url,
    links: links.flatMap(({ label, url }) => (url === null ? [] : [{ label, url }])),
  };
}

export function header({ name, logoUrl }: Brand): Html {
  return html`<header class="brand">
    ${logoUrl === null ? name : html`<img src="${logoUrl}" alt="${name}" />`}
  </header>`;
}

/** Links open in a new tab, so that a form on the page keeps what was typed. */
export function footer(links: NonNullable<Brand['links']>, texts: Texts): Html {
  return html`<footer class="links">
    ${links.map(
      ({ label, url }) =>
        html`<a href="${url}" target="_blank" rel="noopener">${texts.links[label]}</a>`,
    )}
  </footer>`;
}
