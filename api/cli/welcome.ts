// The block that ends a start: what to copy to see a post go out and its webhook come back.

export interface Welcome {
  url: string;
  key: string;
  accountIds: string[];
  temporalUiUrl: string | undefined;
  hasGraphiql: boolean;
}

export function welcome({ url, key, accountIds, temporalUiUrl, hasGraphiql }: Welcome): string {
  const [ada, bob] = accountIds;
  const links = [
    `Fanfare is ready at ${url}`,
    ...(hasGraphiql ? [`  GraphiQL       ${url}/graphql`] : []),
    `  API document   ${url}/docs`,
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
    'Copy these, one after the other:',
    '',
    '# 1. Add a webhook that leads to the built-in inbox',
    `curl -sS ${url}/v1/webhooks ${auth} -d '${JSON.stringify({ url: `${url}/sandbox/inbox/demo` })}'`,
    '',
    '# 2. Publish to @ada and @bob; the post to @bob is set to fail',
    `curl -sS ${url}/v1/posts ${auth} -d '${JSON.stringify(post)}'`,
    '',
    '# 3. Show what the inbox received, a second later',
    `curl -sS '${url}/sandbox/inbox/demo?format=json'`,
    '',
  ].join('\n');
}
