// The pictures of accounts, which pages load from the network: only from its host, and only by https.
import { expect, test } from 'vitest';
import { choose, useHostedFlow } from '../../support/networks/oauth/hosted-flow.ts';

const flow = useHostedFlow();
const { rest, tenant, network } = flow;
const picture = 'https://cdn.test/a/bakery.png?size=40&v="2"';

/** At the choice among the accounts of a login. */
async function openChoice() {
  const browser = flow.browse();
  const session = await flow.createSession();
  return { browser, session, choice: await flow.logIn(browser, session) };
}

const imagesIn = ({ html }: { html: string }) =>
  [...html.matchAll(/<img[^>]* src="([^"]*)"/g)].map(([, url]) => url!.replaceAll('&amp;', '&'));

async function sourcesOf(url: string, browser: ReturnType<typeof flow.browse>): Promise<string> {
  const { headers } = await browser.request(url);
  const policy = headers.get('Content-Security-Policy')!.split('; ');
  return policy.find((directive) => directive.startsWith('img-src'))!;
}

test('are on the choice and on the last page, which allow their host', async () => {
  network.accounts[0]!.picture = picture;
  const { browser, choice } = await openChoice();
  const shown = new URL(picture).href.replaceAll('"', '%22');
  expect(imagesIn(choice).map((url) => new URL(url.replaceAll('&quot;', '%22')).href)).toEqual([
    shown,
  ]);
  expect(await sourcesOf(choice.url, browser)).toBe("img-src 'self' https://cdn.test");
  const last = await browser.submit(choice, choose('page-1', 'page-2'));
  expect(last.html).toMatch(/bakery\.png[^>]*alt=""[^>]*>\s*<bdi>Bakery<\/bdi>/);
  expect(last.html).toContain('<bdi>Garden</bdi>');
  expect(imagesIn(last)).toHaveLength(1);
  expect(last.html).toContain('Your accounts are connected.');
});

test.each([
  'http://cdn.test/a.png',
  'javascript:alert(1)',
  'data:image/png;base64,AA==',
  '/a.png',
  `https://cdn.test/${'a'.repeat(2_100)}`,
  '',
])('are left out if their URL is %s', async (url) => {
  network.accounts[0]!.picture = url;
  const { browser, choice } = await openChoice();
  expect(imagesIn(choice)).toEqual([]);
  expect(await sourcesOf(choice.url, browser)).toBe("img-src 'self'");
});

test.each(['https://x;sandbox/a.png', 'https://x,sandbox/a.png', 'https://*/a.png'])(
  'change nothing else of the policy: %s',
  async (url) => {
    network.accounts[0]!.picture = url;
    const { browser, choice } = await openChoice();
    expect(await sourcesOf(choice.url, browser)).toBe("img-src 'self'");
  },
);

test('are forgotten with the account, and replaced by the next login', async () => {
  network.accounts.length = 1;
  network.accounts[0]!.picture = picture;
  await openChoice();
  const read = () =>
    rest.context.db
      .selectFrom('social_accounts')
      .select('picture_url')
      .where('project_id', '=', tenant.projectId)
      .executeTakeFirstOrThrow();
  expect(await read()).toEqual({ picture_url: picture });
  delete network.accounts[0]!.picture;
  await openChoice();
  expect(await read()).toEqual({ picture_url: null });
});
