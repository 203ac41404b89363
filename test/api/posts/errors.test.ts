// How a target ended, as results, events and the API reference show it.
import { beforeAll, describe, expect, test } from 'vitest';
import { postingErrors } from '../../../schema/posts/errors.ts';
import type { Post } from '../../../schema/posts/posts.ts';
import { render } from '../../../schema/wire/names.ts';
import { useApp } from '../../support/app/app.ts';
import { ask } from '../../support/graphql/graphql.ts';

let docs: string;
let post: Post;

const app = useApp();
beforeAll(async () => {
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

const hint = render(postingErrors.rejected.hint);

describe('GET /docs', () => {
  test.each(Object.entries(postingErrors))('explains %s', (code, { nextAction }) => {
    const entry = new RegExp(`<section id="posting-error-${code}">(.*?)</section>`, 's');
    const [, text] = entry.exec(docs)!;
    expect(text).toContain(`<code>${code}</code>`);
    expect(text).toContain(`>${nextAction}`);
  });

  test('links to the posting errors', () => {
    expect(docs).toContain('href="#posting-errors"');
    expect(docs).toContain('id="posting-errors"');
  });
});

describe('a first comment', () => {
  const fields = [
    'status',
    'error_code',
    'error_message',
    'error_hint',
    'error_docs_url',
    'failure_stage',
    'platform_error_code',
    'provider_error',
    'is_retriable',
    'next_action',
    'attempts',
    'next_attempt_at',
  ] as const;

  async function publishBelow(outcome: string) {
    const { id: account_id } = await app.tenant.connectSandbox(`below-${outcome}`);
    const { id } = await app.tenant.createPost({
      caption: 'hello',
      platform_posts: [{ account_id, first_comment: 'more', platform_options: { outcome } }],
    });
    return app.tenant.waitForPost(id);
  }

  test('explains its failure as its target does, and has its attempts under its own ID', async () => {
    const { id, results } = await publishBelow('rejected');
    const { first_comment: comment } = results[0]!;
    expect(comment).toMatchObject({
      status: 'failed',
      error_code: 'answered_post_missing',
      error_message: postingErrors.answered_post_missing.message,
      error_hint: postingErrors.answered_post_missing.hint,
      error_docs_url: `${app.url}/docs#posting-error-answered_post_missing`,
      is_retriable: true,
      next_action: 'retry',
    });
    expect(Object.keys(comment!)).toEqual(expect.arrayContaining([...fields]));
    expect(Object.keys(results[0]!)).toEqual(expect.arrayContaining([...fields]));
    const attempts = await app.api.get(`/v1/posts/${id}/results/${comment!.id}/attempts`);
    expect(attempts).toMatchObject({ status: 200, body: { data: [] } });
  });

  test('has its attempts under its own ID once it is published, in REST and in GraphQL', async () => {
    const { id, results } = await publishBelow('published');
    const { first_comment: comment } = results[0]!;
    expect(comment).toMatchObject({ status: 'published', attempts: 1, next_action: 'none' });
    const { body } = await app.api.get(`/v1/posts/${id}/results/${comment!.id}/attempts`);
    expect(body.data).toMatchObject([{ number: 1, phase: 'commit', outcome: 'published' }]);
    const { post: read } = await ask(
      app,
      `query ($id: ID!) { post(id: $id) { results { firstComment { ...story } } } }
       fragment story on Outcome { id status nextAction attemptLog { nodes { number outcome } } }`,
      { id },
    );
    expect(read.results).toEqual([
      {
        firstComment: {
          id: comment!.id,
          status: 'PUBLISHED',
          nextAction: 'NONE',
          attemptLog: { nodes: [{ number: 1, outcome: 'PUBLISHED' }] },
        },
      },
    ]);
  });
});

describe('a result', () => {
  test('has the next action, and a link to the reference, if it failed', async () => {
    const [published, failed] = post.results;
    expect(failed).toMatchObject({
      error_code: 'rejected',
      error_message:
        'The sandbox refused the request: content_rejected: The sandbox was asked to reject this post.',
      error_hint: hint,
      error_docs_url: `${app.url}/docs#posting-error-rejected`,
    });
    expect(published).toMatchObject({ error_hint: null, error_docs_url: null });
    const url = new URL(failed!.error_docs_url!);
    const page = await (await fetch(url)).text();
    expect(page).toContain(`id="${url.hash.slice(1)}"`);
  });

  test('has the same hint and link in GraphQL', async () => {
    const { post: read } = await ask(
      app,
      'query ($id: ID!) { post(id: $id) { results { errorHint errorDocsUrl } } }',
      { id: post.id },
    );
    expect(read.results).toEqual([
      { errorHint: null, errorDocsUrl: null },
      {
        errorHint: hint.replace('error_message', 'errorMessage'),
        errorDocsUrl: `${app.url}/docs#posting-error-rejected`,
      },
    ]);
  });

  test('shows who can see its post in REST, in GraphQL and in an event', async () => {
    const { post: read } = await ask(
      app,
      'query ($id: ID!) { post(id: $id) { results { visibility } } }',
      { id: post.id },
    );
    const events = await app.api.get('/v1/events?event=post.partial');
    const shown = [{ visibility: 'public' }, { visibility: null }];
    expect(post.results).toMatchObject(shown);
    expect(read.results).toEqual(shown);
    expect(events.body.data).toMatchObject([{ data: { results: shown } }]);
  });

  test('has the hint in an event, which has no links to this installation', async () => {
    const events = await app.api.get('/v1/events?event=post.partial');
    expect(events.body.data).toHaveLength(1);
    const [, failed] = events.body.data[0].data.results;
    expect(failed).toMatchObject({ error_code: 'rejected', error_hint: hint });
    expect(Object.keys(failed)).not.toContain('error_docs_url');
  });
});
