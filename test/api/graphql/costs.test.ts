// What a document costs before it is run: pages within pages multiply, and nothing goes round in circles.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { openEventStream } from '../../support/receivers/event-stream.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ roles: { api: true, worker: false } });
});
afterAll(() => app.stop());

describe('the cost of a document', () => {
  test.each([
    ['{ posts(first: 100) { nodes { deliveries(first: 100) { nodes { id } } } } }', 10_210],
    [
      '{ posts(first: 100) { edges { node { deliveries(first: 100) { pageInfo { hasNextPage } } } } } }',
      10_210,
    ],
    [
      '{ posts(first: 100) { edges { node { deliveries(first: 100) { edges { node { id } } } } } } }',
      10_210,
    ],
    ['{ posts(first: 100) { nodes { results { account { events { nodes { id } } } } } } }', 14_110],
    ['{ webhooks(first: 100) { nodes { deliveries { nodes { attempts { number } } } } } }', 15_210],
    [
      'query ($n: Int) { posts(first: $n) { nodes { events(first: $n) { nodes { id } } } } }',
      10_210,
    ],
  ])('%s is counted', async (query, cost) => {
    expect(await askRefused(app, query, { n: 100 })).toMatchObject({
      code: 'validation_error',
      issues: [{ path: 'query', code: 'too_complex', actual: cost }],
    });
  });

  test('may be a tenth for a subscription, whose every message costs it again', async () => {
    const query = (first: number) =>
      `subscription { postUpdated { post { deliveries(first: ${first}) { nodes { attempts { number } } } } } }`;
    expect(await askRefused(app, query(100))).toMatchObject({
      issues: [{ path: 'query', code: 'too_complex', actual: 611, limit: 500 }],
    });
    const stream = await openEventStream({ url: app.url, key: app.tenant.key, query: query(50) });
    expect(stream.response.statusCode).toBe(200);
    stream.vanish();
  });

  test('leaves room for a hundred posts with all that belongs to them', async () => {
    const { posts } = await ask(
      app,
      `{ posts(first: 100) { nodes {
        results { account { accountName } } deliveries(first: 10) { nodes { id } } events { nodes { id } }
      } } }`,
    );
    expect(posts.nodes).toEqual([]);
  });
});

describe('the depth of a document', () => {
  /** From a post round to itself, so many times. */
  const rounds = (count: number): string =>
    count === 0
      ? 'id'
      : `deliveries(first: 1) { nodes { recordedEvent { post { ${rounds(count - 1)} } } } }`;

  test('may be ten levels', async () => {
    await ask(app, `{ posts(first: 1) { nodes { ${rounds(1)} } } }`);
  });

  test('is refused in circles from a post to itself', async () => {
    const query = `{ posts(first: 1) { nodes { ${rounds(2)} } } }`;
    expect(await askRefused(app, query)).toMatchObject({
      code: 'validation_error',
      issues: [{ path: 'query', code: 'too_deep', actual: 11, limit: 10 }],
    });
  });
});
