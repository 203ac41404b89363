// GraphiQL: its page in a real browser, and how browsers cache it.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { graphiqlUrl } from '../../api/graphql/server/graphiql.ts';
import { welcome } from '../../api/cli/welcome.ts';
import { useApp } from '../support/app/app.ts';
import { hasChromium, startChromium } from '../support/app/chromium.ts';

const app = useApp({ roles: { api: true, worker: false } });

const getPage = (headers = {}) =>
  fetch(`${app.url}/graphql`, { headers: { accept: 'text/html', ...headers } });

describe('the page', () => {
  test('is sent again only after it changed', async () => {
    const first = await getPage();
    const etag = first.headers.get('ETag')!;
    expect(await first.text()).toContain('<title>Fanfare</title>');
    expect(first.headers.get('Cache-Control')).toBe('no-cache');
    expect(first.headers.get('Vary')).toMatch(/(^|, )Accept(,|$)/);
    for (let i = 0; i < 2; i++) {
      const answer = await getPage({ 'if-none-match': etag });
      expect([answer.status, await answer.text()]).toEqual([304, '']);
      expect(answer.headers.get('ETag')).toBe(etag);
      expect(answer.headers.get('Vary')).toBe(first.headers.get('Vary'));
    }
    expect((await getPage({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('is compressed', async () => {
    const bytesOf = async (encoding: string) => {
      let bytes = 0;
      const headers = { accept: 'text/html', 'accept-encoding': encoding };
      const response = await new Promise<IncomingMessage>((resolve) => {
        httpRequest(`${app.url}/graphql`, { headers }, resolve).end();
      });
      for await (const chunk of response) bytes += (chunk as Buffer).length;
      return { bytes, encoding: response.headers['content-encoding'] };
    };
    const [plain, packed] = [await bytesOf('identity'), await bytesOf('gzip')];
    expect([plain.encoding, packed.encoding]).toEqual([undefined, 'gzip']);
    expect(packed.bytes).toBeLessThan(plain.bytes / 2);
  });

  test('has no API key, even if the request does', async () => {
    const page = await (await getPage({ authorization: `Bearer ${app.tenant.key}` })).text();
    expect(page).not.toContain(app.tenant.key);
  });
});

test('the URL that `start` prints has the key in its fragment, which browsers do not send', () => {
  const given = {
    url: app.url,
    key: 'sk_1',
    signInUrl: undefined,
    accountIds: [],
    temporalUiUrl: undefined,
  };
  const [, printed] = /GraphiQL\s+(\S+)/.exec(welcome({ ...given, hasGraphiql: true }))!;
  expect(printed).toBe(`${app.url}/graphql#key=sk_1`);
  expect(welcome({ ...given, hasGraphiql: false })).not.toContain('sk_1');
});

describe.skipIf(!hasChromium)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  /** Opens the page, and runs the query that it shows. Returns what the server answered. */
  async function runAt(url: string) {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(url);
      const run = page.getByRole('button', { name: /^Execute/ });
      await run.waitFor();
      const isAnswer = (body: string | null) => body?.includes('posts(first') ?? false;
      const answered = page.waitForResponse((each) => isAnswer(each.request().postData()));
      await run.click();
      return (await (await answered).json()) as Record<string, unknown>;
    } finally {
      await context.close();
    }
  }

  test('an address with a key runs queries at once', async () => {
    const answer = await runAt(graphiqlUrl(app.url, app.tenant.key));
    expect(answer).toEqual({ data: { posts: { nodes: [] } } });
  });

  test('an address without a key gets the error unauthorized', async () => {
    expect(await runAt(`${app.url}/graphql`)).toMatchObject({
      errors: [{ extensions: { code: 'unauthorized' } }],
    });
  });
});
