// The home page, with links to everything that this server offers.
import { html } from 'hono/html';
import type { Context } from '../http/context.ts';
import { page } from '../http/pages/page.ts';

export function home({ publicUrl, temporalUiUrl, config }: Context): Promise<Response> {
  const link = (name: string, url: string) => html`<li><a href="${url}">${name}</a></li>`;
  return page(
    'Fanfare',
    html`<p>One post out to many networks, a signed webhook back, all of it live.</p>
      <ul>
        ${config.hasDashboard && link('Dashboard', `${publicUrl}/dashboard`)}
        ${link('API reference', `${publicUrl}/docs`)}
        ${link('OpenAPI document', `${publicUrl}/v1/openapi.json`)}
        ${config.hasGraphiql && link('GraphiQL', `${publicUrl}/graphql`)}
        ${config.hasSandbox && link('Sandbox posts', `${publicUrl}/sandbox/posts`)}
        ${config.hasSandbox && link('Webhook inbox', `${publicUrl}/sandbox/inbox/demo`)}
        ${temporalUiUrl && link('Temporal', temporalUiUrl)} ${link('Health', `${publicUrl}/readyz`)}
      </ul>`,
  );
}
