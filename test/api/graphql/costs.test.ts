// The cost of a document, counted before it runs. Nested pages multiply, and depth limits cycles.
import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { openEventStream } from '../../support/receivers/event-stream.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

const app = useApp({ roles: { api: true, worker: false } });

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

  test('has a limit ten times lower for a subscription, because every message costs it again', async () => {
    const query = (first: number) =>
      `subscription { postUpdated { post { deliveries(first: ${first}) { nodes { attempts { number } } } } } }`;
    expect(await askRefused(app, query(100))).toMatchObject({
      issues: [{ path: 'query', code: 'too_complex', actual: 611, limit: 500 }],
    });
    const stream = await openEventStream({ url: app.url, key: app.tenant.key, query: query(50) });
    expect(stream.response.statusCode).toBe(200);
    stream.vanish();
  });

  test('allows a hundred posts with their results, events and deliveries', async () => {
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
  /** Follows links from a post back to itself, `count` times. */
  const cycles = (count: number): string =>
    count === 0
      ? 'id'
      : `deliveries(first: 1) { nodes { recordedEvent { post { ${cycles(count - 1)} } } } }`;

  test('can be ten levels', async () => {
    await ask(app, `{ posts(first: 1) { nodes { ${cycles(1)} } } }`);
  });

  test('is limited for links that lead back to the post', async () => {
    const query = `{ posts(first: 1) { nodes { ${cycles(2)} } } }`;
    expect(await askRefused(app, query)).toMatchObject({
      code: 'validation_error',
      issues: [{ path: 'query', code: 'too_deep', actual: 11, limit: 10 }],
    });
  });
});
