// The page for a path without anything, for people who follow a broken link. Programs get JSON.
import type { Context as HonoContext } from 'hono';
import { html } from 'hono/html';
import { page } from './page.ts';
import { textsOf } from './texts.ts';

/** Old HTTP clients ask for HTML too, so paths of the REST API have no page. */
export function wantsPage({ req }: Pick<HonoContext, 'req'>): boolean {
  if (!/^(GET|HEAD)$/.test(req.method) || /^\/v1(\/|$)/.test(req.path)) return false;
  return req.header('Accept')?.includes('text/html') ?? false;
}

export async function notFoundPage(c: Pick<HonoContext, 'req'>): Promise<Response> {
  const texts = textsOf(c);
  const { title, text } = texts.notFound;
  const response = await page(title, html`<p>${text}</p>`, { texts, status: 404 });
  response.headers.append('Vary', 'Accept');
  return response;
}
