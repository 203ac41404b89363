// `post` at a terminal: it asks before it publishes, and publishes nothing without a yes.
import { expect, test } from 'vitest';
import { Fanfare } from '../../../../clients/typescript/src/index.ts';
import { InvalidArgument } from '../../../../api/cli/output/invalid-argument.ts';
import { post, type PostArguments } from '../../../../api/cli/client/post.ts';
import { terminalOf } from '../../../support/clients/terminal.ts';

const account = {
  id: 'sa_1',
  platform: 'bluesky',
  account_name: 'ada.bsky.social',
  status: 'active',
};
const published = { id: 'post_1', status: 'published', scheduled_at: null, results: [] };

/** Returns the questions, and the requests that write. */
async function run(given: PostArguments, answer: boolean) {
  const questions: string[] = [];
  const written: string[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    const { pathname } = new URL(url);
    if (pathname === '/v1/posts' && init.method === 'POST') written.push(init.body as string);
    if (pathname === '/v1/accounts') return Response.json({ data: [account], meta: {} });
    if (pathname === '/v1/posts/validate')
      return Response.json({ data: { valid: true, warnings: [], errors: [] } });
    return Response.json({ data: published, warnings: [] });
  };
  const client = new Fanfare({ url: 'https://fanfare.test', apiKey: 'key', fetch });
  const code = await post(
    client,
    'Hello',
    { to: 'bluesky:@ada', ...given },
    terminalOf({
      ask: async (question) => {
        questions.push(question);
        return answer;
      },
    }),
  ).then(
    ({ exitCode }) => exitCode,
    (error: unknown) => error,
  );
  return { code, questions, written: written.length };
}

test('publishing asks once, with the accounts by name', async () => {
  const questions = ['Publish to bluesky:@ada.bsky.social now?'];
  expect(await run({}, true)).toEqual({ code: 0, questions, written: 1 });
  const declined = await run({}, false);
  expect(declined).toMatchObject({ questions, written: 0 });
  expect(declined.code).toBeInstanceOf(InvalidArgument);
});

test('nothing is asked with --yes, for a draft, or for a time to come', async () => {
  for (const given of [{ yes: true }, { draft: true }, { at: '2026-12-01 09:00' }]) {
    expect(await run(given, false)).toMatchObject({ questions: [], written: 1 });
  }
});
