// Why a target failed, as results and the page of the API tell it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postingErrors } from '../../schema/posting-errors.ts';
import type { Post } from '../../schema/posts.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/graphql.ts';

let app: TestApp;
let docs: string;
let post: Post;

beforeAll(async () => {
  app = await startApp();
  docs = await (await fetch(`${app.url}/docs`)).text();
  const [ada, bob] = [
    await app.tenant.connectSandbox('ada'),
    await app.tenant.connectSandbox('bob'),
  ];
  const { id } = await app.tenant.createPost({
    caption: 'hello',
    platform_posts: [
      { account_id: ada.id },
      { account_id: bob.id, platform_options: { outcome: 'rejected' } },
    ],
  });
  post = await app.tenant.waitForPost(id);
});
afterAll(() => app.stop());

const { hint } = postingErrors.rejected;

describe('GET /docs', () => {
  test.each(Object.entries(postingErrors))('tells what %s is', (code, { nextAction }) => {
    const row = new RegExp(`<tr id="posting-error-${code}">(.*?)</tr>`, 's').exec(docs)?.[1];
    expect(row).toContain(`<code>${code}</code>`);
    expect(row).toContain(`<code>${nextAction}</code>`);
  });

  test('leads to them from its top', () => {
    expect(docs).toContain('href="#posting-errors"');
    expect(docs).toContain('id="posting-errors"');
  });
});

describe('a result', () => {
  test('that failed says what to do, and where the page tells more', async () => {
    const [published, failed] = post.results;
    expect(failed).toMatchObject({
      error_code: 'rejected',
      error_message: 'The sandbox was asked to reject this post.',
      error_hint: hint,
      error_docs_url: `${app.url}/docs#posting-error-rejected`,
    });
    expect(published).toMatchObject({ error_hint: null, error_docs_url: null });
    const url = new URL(failed!.error_docs_url!);
    const page = await (await fetch(url)).text();
    expect(page).toContain(`id="${url.hash.slice(1)}"`);
  });

  test('says the same in GraphQL', async () => {
    const { post: read } = await ask(
      app,
      'query ($id: ID!) { post(id: $id) { results { errorHint errorDocsUrl } } }',
      { id: post.id },
    );
    expect(read.results).toEqual([
      { errorHint: null, errorDocsUrl: null },
      { errorHint: hint, errorDocsUrl: `${app.url}/docs#posting-error-rejected` },
    ]);
  });

  test('is without them in an event', async () => {
    const events = await app.api.get('/v1/events?event=post.partial');
    expect(events.body.data).toHaveLength(1);
    const [, failed] = events.body.data[0].data.results;
    expect(failed).toMatchObject({ error_code: 'rejected' });
    expect(Object.keys(failed)).not.toContain('error_hint');
    expect(Object.keys(failed)).not.toContain('error_docs_url');
  });
});
