// A site that answers to harm Fanfare or another user.
import { describe, expect, test } from 'vitest';
import { createWordPress } from '../../../../activities/platforms/wordpress/index.ts';
import { startConnected } from '../../../support/networks/wordpress/connected.ts';
import { createClient, startHttp } from '../../../support/receivers/loopback.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { formOf } from '../../../support/networks/connection.ts';

const login = { username: 'adam', application_password: 'abcd EFGH 1234' };
const basic = Buffer.from('adam:abcd EFGH 1234').toString('base64');

async function connectTo(status: number, body: string, headers: Record<string, string> = {}) {
  const server = await startHttp((_request, response) => {
    response.writeHead(status, headers).end(body);
  });
  const { run } = formOf(createWordPress({ fetch: createClient().fetch }));
  return run({ site: `${server.url}/bob`, ...login }, new AbortController().signal);
}

describe('a hostile site', () => {
  test('cannot stop the process with a message of open brackets', async () => {
    const body = JSON.stringify({ code: 'no', message: '<'.repeat(300_000) });
    const startedMs = performance.now();
    await refusal(connectTo(400, body));
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  test('is refused even if its answer is nested very deep', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const error = await refusal(
      connectTo(400, `{"code":"no","message":"Not here","data":${deep}}`),
    );
    expect(error).toMatchObject({ kind: 'rejected', options: { field: 'site' } });
  });

  test.each([basic, basic.replaceAll('=', ''), encodeURIComponent(basic), 'abcd%20EFGH%201234'])(
    'cannot make an error show the password by a redirect: %s',
    async (echo) => {
      const { message } = await refusal(connectTo(302, '', { location: `https://x.test/${echo}` }));
      expect(message).not.toContain(echo);
    },
  );

  test('cannot take the identity of another site on its host', async () => {
    await using network = await startConnected();
    const { url, host } = network;
    const answers: Record<string, object> = {
      '/': { home: `${url}/alice` },
      '/wp/v2/users/me': {
        id: 1,
        username: 'a',
        capabilities: { publish_posts: true },
      },
    };
    const wordpress = createWordPress({
      fetch: (asked) =>
        Promise.resolve(Response.json(answers[new URL(asked).searchParams.get('rest_route')!])),
    });
    const { run } = formOf(wordpress);
    const { externalAccountId } = await run(
      { site: `${url}/bob`, ...login },
      new AbortController().signal,
    );
    expect(externalAccountId).toBe(`1@${host}/bob`);
  });
});
