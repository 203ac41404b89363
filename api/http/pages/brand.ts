// The project on a hosted page: its name or logo, its color, and its links.
import { html } from 'hono/html';
import type { ProjectRow } from '../../../schema/database/tables.ts';
import type { Html } from './prose.ts';
import type { Texts } from './texts.ts';

/** Paths of images at this server. */
interface Logo {
  path: string;
  /** For a dark page. Null: the same image. */
  darkPath: string | null;
}

/** The project in whose name a page is shown. */
export interface Brand {
  name: string;
  /** `#rrggbb`. Null: the default color. */
  color: string | null;
  /** Path of the icon. Absent: the page has none. */
  iconPath?: string;
  /** Null: the page shows the name. */
  logo: Logo | null;
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
    iconPath: `/brand/${project.id}/icon`,
    logo: logoOf(project),
    links: links.flatMap(({ label, url }) => (url === null ? [] : [{ label, url }])),
  };
}

/** The ID of the media makes browsers load a new logo at once. */
function logoOf({ id, logo_media_id: light, dark_logo_media_id: dark }: ProjectRow): Logo | null {
  if (light === null) return null;
  const path = `/brand/${id}/logo`;
  return {
    path: `${path}?v=${light}`,
    darkPath: dark === null ? null : `${path}?theme=dark&v=${dark}`,
  };
}

export function header({ name, logo }: Brand): Html {
  if (!logo) return html`<header class="brand">${name}</header>`;
  const { path, darkPath } = logo;
  return html`<header class="brand">
    <picture>
      ${
        darkPath !== null &&
        html`<source media="(prefers-color-scheme: dark)" srcset="${darkPath}" />`
      }
      <img src="${path}" alt="${name}" />
    </picture>
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
