// The first page: where everything is.
import type { Context } from './context.ts';
import { html, page } from '../http/pages.ts';

export function home({ publicUrl, temporalUiUrl, config }: Context): Response {
  const links: [string, string][] = [
    ...(config.hasGraphiql
      ? ([['GraphiQL', `${publicUrl}/graphql`]] satisfies [string, string][])
      : []),
    ['API document', `${publicUrl}/docs`],
    ['OpenAPI', `${publicUrl}/v1/openapi.json`],
    ...(config.hasSandbox
      ? ([
          ['Sandbox posts', `${publicUrl}/sandbox/posts`],
          ['Inbox', `${publicUrl}/sandbox/inbox/demo`],
        ] satisfies [string, string][])
      : []),
    ...(temporalUiUrl ? ([['Temporal', temporalUiUrl]] satisfies [string, string][]) : []),
    ['Readiness', `${publicUrl}/readyz`],
  ];
  const items = links.map(([name, url]) => html`<li><a href="${url}">${name}</a></li>`);
  return page(
    'Fanfare',
    html`<p>One post out to many networks, a signed webhook back, all of it live.</p>
      <ul>
        ${items}
      </ul>`,
  );
}
