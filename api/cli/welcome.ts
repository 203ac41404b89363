// The text that `start` ends with: links, and commands that publish a post and receive its webhook.
import { graphiqlUrl } from '../graphql/server/graphiql.ts';

export interface Welcome {
  url: string;
  key: string;
  /** Signs a browser in to the dashboard. Undefined: the dashboard is off, or the URL is not of this machine. */
  signInUrl: string | undefined;
  accountIds: string[];
  temporalUiUrl: string | undefined;
  hasGraphiql: boolean;
}

export function welcome({
  url,
  key,
  signInUrl,
  accountIds,
  temporalUiUrl,
  hasGraphiql,
}: Welcome): string {
  const [ada, bob] = accountIds;
  const links = [
    `Fanfare is ready at ${url}`,
    ...(signInUrl ? [`  Dashboard      ${signInUrl}`] : []),
    ...(hasGraphiql ? [`  GraphiQL       ${graphiqlUrl(url, key)}`] : []),
    `  API reference  ${url}/docs`,
    ...(ada ? [`  Sandbox posts  ${url}/sandbox/posts`] : []),
    ...(temporalUiUrl ? [`  Temporal       ${temporalUiUrl}`] : []),
  ];
  if (!ada || !bob) return links.join('\n');
  const auth = `-H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`;
  const post = {
    caption: 'Hello from Fanfare',
    platform_posts: [
      { account_id: ada },
      { account_id: bob, platform_options: { outcome: 'rejected' } },
    ],
  };
  return [
    ...links,
    '',
    'Copy these commands one by one:',
    '',
    '# 1. Add a webhook that points to the built-in inbox',
    `curl -sS ${url}/v1/webhooks ${auth} -d '${JSON.stringify({ url: `${url}/sandbox/inbox/demo` })}'`,
    '',
    '# 2. Publish to @ada and @bob. The target @bob is set to fail',
    `curl -sS ${url}/v1/posts ${auth} -d '${JSON.stringify(post)}'`,
    '',
    '# 3. Show what the inbox received, a few seconds later',
    `curl -sS '${url}/sandbox/inbox/demo?format=json'`,
    '',
  ].join('\n');
}
