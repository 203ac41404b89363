// The project's name, color and logo on a hosted page, within its Content-Security-Policy.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { errorPage, failedPage } from '../../../api/connect/pages.ts';
import type { Brand } from '../../../api/http/pages/brand.ts';
import { en } from '../../../api/http/pages/texts/en.ts';

async function show(brand: Partial<Brand>) {
  const page = await failedPage(
    { message: 'The network is down.', status: 503 },
    {
      id: 'cs_1',
      texts: en,
      network: 'Bluesky',
      brand: { name: 'Acme & Co', color: null, logo: null, ...brand },
      accountName: null,
      connected: [],
      returnUrl: 'https://app.example.com/done?a=1&status=pending',
    },
  );
  return { html: await page.text(), policy: page.headers.get('Content-Security-Policy')! };
}

const stylesIn = (html: string) =>
  [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, css]) => css!);

test.each([
  ['#000000', '#fff'],
  ['#ffffff', '#000'],
  ['#2457D6', '#fff'],
  ['#ffe14d', '#000'],
  ['#767676', '#000'],
  ['#747474', '#fff'],
  ['#ff0000', '#000'],
])('a button of the color %s has the text %s', async (color, text) => {
  const { html } = await show({ color });
  expect(stylesIn(html)).toContain(`:root { --brand: ${color}; --on-brand: ${text} }`);
});

test('the policy allows only the styles of the page', async () => {
  for (const color of ['#123456', null]) {
    const { html, policy } = await show({ color });
    const hashes = stylesIn(html).map(
      (css) => `'sha256-${createHash('sha256').update(css).digest('base64')}'`,
    );
    expect(hashes).toHaveLength(color === null ? 1 : 2);
    expect(policy.split('; ')).toContain(`style-src ${hashes.join(' ')}`);
  }
});

test("the project's logo is an image of this server, for light and dark pages", async () => {
  const logo = { path: '/brand/prj_1/logo?v=a', darkPath: '/brand/prj_1/logo?theme=dark&v=b' };
  const { html, policy } = await show({ logo });
  expect(policy.split('; ')).toContain("img-src 'self'");
  expect(html).toContain('<img src="/brand/prj_1/logo?v=a" alt="Acme &amp; Co" />');
  const dark = 'media="(prefers-color-scheme: dark)" srcset="/brand/prj_1/logo?theme=dark&amp;v=b"';
  expect(html).toContain(`<source ${dark} />`);
  const same = await show({ logo: { ...logo, darkPath: null } });
  expect(same.html).not.toContain('<source');
  const plain = await show({});
  expect(plain.html).toMatch(/<header class="brand">\s*Acme &amp; Co\s*<\/header>/);
});

test('a page without a project has no header', async () => {
  const page = await errorPage(en, 'This link is not valid.', 404);
  expect(await page.text()).not.toContain('<header');
});

test('an error page names the network and the project, with links to try again and to return', async () => {
  const { html } = await show({});
  expect(html).toContain(
    '<title>Your Bluesky account could not be connected – Acme &amp; Co</title>',
  );
  expect(html).toContain('<a href="/connect/cs_1">Try again</a>');
  expect(html).toContain(
    '<a href="https://app.example.com/done?a=1&amp;status=pending">Return to Acme &amp; Co</a>',
  );
});

test('a page links to the pages of the project that it has', async () => {
  const links = [{ label: 'privacy' as const, url: 'https://example.com/privacy?a=1&b="' }];
  const { html } = await show({ links });
  const footer = /<footer[^>]*>(.*)<\/footer>/s.exec(html)![1]!;
  expect(footer.replaceAll(/\s+/g, ' ').trim()).toBe(
    '<a href="https://example.com/privacy?a=1&amp;b=&quot;" target="_blank" rel="noopener">Privacy policy</a>',
  );
  for (const none of [{}, { links: [] }]) {
    expect((await show(none)).html).not.toContain('<footer');
  }
});
