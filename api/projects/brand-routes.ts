// The logo and the icon of a project, which anyone may load. The hosted pages show them, and so can other pages.
import { Hono, type Context as HonoContext } from 'hono';
import { etag } from 'hono/etag';
import { html } from 'hono/html';
import { findLogo, findProjectRow } from '../../schema/database/projects.ts';
import type { ProjectLogoRow } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { readId } from '../../schema/wire/ids.ts';
import type { Context } from '../http/context.ts';
import { respondError } from '../http/errors.ts';
import { defaultColor, onColor } from '../http/pages/css.ts';
import { notFoundPage, wantsPage } from '../http/pages/not-found.ts';
import { letterOf } from '../http/pages/marks.ts';

/** A wider or taller logo is not recognizable as an icon. */
const maxIconRatio = 1.5;

/** Expects full paths, starting with `/brand`. */
export function createBrandRoutes(context: Context): Hono {
  const { db } = context;
  const app = new Hono().basePath('/brand');
  app.use(etag());
  const refuse = (c: HonoContext, error: unknown) => respondError(context, c.req.raw, error);

  app.get('/:project/logo', async (c) => {
    const id = readProjectId(c.req.param('project'));
    const themes =
      c.req.query('theme') === 'dark' ? (['dark', 'light'] as const) : (['light'] as const);
    for (const theme of themes) {
      const logo = await findLogo(db, id, theme);
      if (logo) return send(c, 'image/png', logo.png);
    }
    throw notFound();
  });

  app.get('/:project/icon', async (c) => {
    const id = readProjectId(c.req.param('project'));
    const logo = await findLogo(db, id, 'light');
    if (logo && isIcon(logo)) return send(c, 'image/png', logo.png);
    const project = await findProjectRow(db, id);
    if (!project) throw notFound();
    const icon = drawIcon(project.name, project.brand_color);
    return send(c, 'image/svg+xml', Buffer.from((await icon).toString()));
  });

  app.notFound((c) => (wantsPage(c) ? notFoundPage(c) : refuse(c, notFound())));
  app.onError((error, c) => refuse(c, error));
  return app;
}

function readProjectId(given: string): string {
  if (readId('project', given)) return given;
  throw notFound();
}

const notFound = () => new AppError('not_found', 'No project has a logo at this path.');

const isIcon = ({ width, height }: ProjectLogoRow) =>
  Math.max(width, height) / Math.min(width, height) <= maxIconRatio;

/** A square of the project's color with its letter. */
function drawIcon(name: string, color: string | null) {
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
    <rect width="32" height="32" rx="7" fill="${color ?? defaultColor}" />
    <text
      x="16"
      y="23"
      text-anchor="middle"
      font-family="system-ui, sans-serif"
      font-weight="700"
      font-size="20"
      fill="${onColor(color ?? defaultColor)}"
    >
      ${letterOf(name)}
    </text>
  </svg>`;
}

function send(c: HonoContext, contentType: string, bytes: Uint8Array): Response {
  return c.body(new Uint8Array(bytes), 200, {
    'Content-Type': contentType,
    // A page asks for the logo with the ID of its media, so a new logo is shown at once.
    'Cache-Control': 'public, max-age=300',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
}
