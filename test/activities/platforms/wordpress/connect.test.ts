// Connecting a user of a WordPress site: how its REST API is found, and what the user must be.
import { describe, expect, test } from 'vitest';
import { createWordPress } from '../../../../activities/platforms/wordpress/index.ts';
import { startConnected } from '../../../support/networks/wordpress/connected.ts';
import { createClient, resolvingTo, startHttp } from '../../../support/receivers/loopback.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { formOf } from '../../../support/networks/connection.ts';

const login = { username: 'ada', application_password: 'abcd EFGH 1234' };

describe('connect', () => {
  test('takes the user from WordPress, and the site from its address', async () => {
    await using network = await startConnected({ folder: '/blog' });
    const { host, url, author, connection } = network;
    expect(connection).toEqual({
      externalAccountId: `2@${host}/blog`,
      accountName: `ada@${host}/blog`,
      credentials: {
        api: `${url}/blog/?rest_route=/`,
        username: 'ada',
        application_password: author.password,
      },
      scope: [],
      tokenExpiresAt: null,
    });
  });

  test.each(['/blog/', '/blog/wp-admin/', '/blog/wp-login.php', '/blog/wp-json/wp/v2/'])(
    'takes the address as people copy it: %s',
    async (path) => {
      await using network = await startConnected({ folder: '/blog' });
      const { url, connection } = network;
      expect(await network.connect({ site: `${url}${path}?a=1#b` })).toEqual(connection);
    },
  );

  test('gives an account the same identity from any page of the site', async () => {
    await using network = await startConnected({ permalinks: 'plain' });
    const { url, host } = network;
    const { externalAccountId } = await network.connect({ site: `${url}/2026/a-post/` });
    expect(externalAccountId).toBe(`2@${host}`);
  });

  test('works at a site without rewrite rules', async () => {
    await using network = await startConnected({ permalinks: 'plain' });
    await network.publish('Hello');
    await network.revoke();
    expect(network.site.hasPassword(network.author)).toBe(false);
  });

  test('accepts the password without its spaces, and an email address as the username', async () => {
    await using network = await startConnected();
    const application_password = network.author.password.replaceAll(' ', '');
    const { externalAccountId } = await network.connect({
      application_password,
      username: 'ada@example.com',
    });
    expect(externalAccountId).toBe(network.connection.externalAccountId);
  });

  test.each([
    [{ site: 'https://' }, 'site'],
    [{ site: 'two words' }, 'site'],
    [{ username: 'a:b' }, 'username'],
    [{ username: ' ' }, 'username'],
    [{ application_password: '' }, 'application_password'],
  ])('refuses %j before any call', (change, field) => {
    const { credentials } = formOf(createWordPress({ fetch }));
    const { error } = credentials.safeParse({ site: 'example.com', ...login, ...change });
    expect(error?.issues.map(({ path }) => path)).toEqual([[field]]);
  });

  test('reaches a host without a scheme by https', async () => {
    const urls: string[] = [];
    const wordpress = createWordPress({
      fetch: (url) => {
        urls.push(url);
        return Promise.reject(new Error('Not now.'));
      },
    });
    const { credentials, run } = formOf(wordpress);
    const given = credentials.parse({ site: 'Example.com/blog/', ...login });
    await refusal(run(given, new AbortController().signal));
    expect(urls).toEqual(['https://example.com/blog/?rest_route=/&_fields=home']);
  });

  test.each([
    [true, 'ada', 'incorrect_password'],
    [true, 'bob', 'invalid_username'],
    [false, 'ada', 'rest_not_logged_in'],
    [false, 'bob', 'rest_not_logged_in'],
  ])('refuses a wrong login (readsLoginEarly: %s, %s)', async (readsLoginEarly, username, code) => {
    await using network = await startConnected({ readsLoginEarly });
    const wrong = { username, application_password: 'wrong wrong wrong' };
    const error = await refusal(network.connect(wrong));
    expect(error).toMatchObject({ kind: 'reauthorize', options: { platformCode: code } });
    expect(error.message).toContain('WordPress refused the credentials');
    expect(JSON.stringify([error.message, error.options])).not.toContain('wrong wrong');
  });

  test.each(['contributor', 'nobody'] as const)(
    'refuses a %s, who may not publish',
    async (role) => {
      await using network = await startConnected();
      const { login: username, password } = network.site.addUser('carl', role);
      const error = await refusal(network.connect({ username, application_password: password }));
      expect(error).toMatchObject({
        kind: 'rejected',
        message: expect.stringContaining('carl may not publish'),
        options: { field: 'username', platformCode: 'rest_cannot_publish' },
      });
    },
  );
});

describe('a site that is no WordPress', () => {
  const connect = (site: string, client = createClient()) => {
    const { run } = formOf(createWordPress({ fetch: client.fetch }));
    return refusal(run({ site, ...login }, new AbortController().signal));
  };

  test.each([
    ['a page', 200, '<html>A shop</html>'],
    ['other JSON', 200, '{"home": 1}'],
    ['nothing', 404, ''],
    ['a password for the whole site', 401, 'Unauthorized'],
    ['10 MB', 200, 'a'.repeat(10_000_000)],
  ])('is refused at its field: %s', async (_, status, body) => {
    const server = await startHttp((_request, response) => response.writeHead(status).end(body));
    const { kind, options } = await connect(server.url);
    expect([kind, options.field, options.platformCode]).toEqual([
      'rejected',
      'site',
      'not_wordpress',
    ]);
  });

  test('is not followed to its new address', async () => {
    const other = await startHttp((_request, response) => response.end());
    const server = await startHttp((_request, response) => {
      response.writeHead(301, { location: other.url }).end();
    });
    const { message, options } = await connect(server.url);
    expect(options.field).toBe('site');
    expect(message).toContain('If it redirects, give that address.');
    expect(other.connections).toBe(0);
  });

  test('is refused if its address is blocked, or its name leads to a blocked address', async () => {
    const blocked = await connect('http://10.0.0.1', createClient({ allowed: [] }));
    expect([blocked.kind, blocked.options.field]).toEqual(['rejected', 'site']);
    const lookup = resolvingTo('10.0.0.1');
    const inside = await connect('https://blog.example.com', createClient({ allowed: [], lookup }));
    expect([inside.kind, inside.options.field]).toEqual(['rejected', 'site']);
  });

  test('is unavailable if it answers with an error', async () => {
    const server = await startHttp((_request, response) => response.writeHead(500).end('Oops'));
    expect((await connect(server.url)).kind).toBe('unavailable');
  });

  test('is unavailable if it never answers', async () => {
    const server = await startHttp(() => undefined);
    const hasty = createClient({ fetchDeadlineMs: 500 });
    expect((await connect(server.url, hasty)).kind).toBe('unavailable');
  });
});
