// Malformed or too expensive documents are refused over HTTP and on sockets.
import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { subscribeOverSocket, type Message } from '../../support/graphql/graphql.ts';
import { startCpuTimer } from '../../support/checks/turn-meter.ts';

const app = useApp({ roles: { api: true, worker: false } });

interface Request {
  query: string;
  operationName?: string;
  variables?: Record<string, unknown>;
}

type Shown = [path: string, code: string];

function issuesOf(errors: Message[]): Shown[] {
  return errors.flatMap(({ extensions }: Message) => {
    expect(extensions).toMatchObject({ code: 'validation_error', isRetriable: false });
    return extensions.issues.map(({ path, code }: Message): Shown => [path, code]);
  });
}

/** The issues over either transport. */
async function refuse(request: Request): Promise<Shown[]> {
  const { status, body } = await app.api.call('POST', '/graphql', request);
  expect(status).toBe(200);
  const { query, variables = {}, operationName } = request;
  await using subscription = subscribeOverSocket({
    url: app.url,
    key: app.tenant.key,
    query,
    variables,
    payload: { operationName },
  });
  const [message] = await subscription.waitFor(1);
  const issues = issuesOf(body.errors);
  expect(issuesOf(message.failed ?? message.errors)).toEqual(issues);
  return issues;
}

const many = (count: number, field: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => field(i)).join(' ');

describe('a document', () => {
  const invalid: Shown = ['query', 'invalid_document'];

  test.each<[string, Shown, string, string?]>([
    ['that breaks off', invalid, '{ posts {'],
    ['of an unknown field', invalid, '{ project { nothing } }'],
    ['of an unknown argument', invalid, '{ project(id: 1) { id } }'],
    ['without a required argument', invalid, '{ post { id } }'],
    ['that selects nothing of an object', invalid, '{ project }'],
    ['of an unknown fragment', invalid, '{ project { ...nothing } }'],
    ['with a fragment of an unknown type', invalid, '{ project { ... on Nothing { id } } }'],
    ['with a fragment in a circle', invalid, '{ project { ...a } } fragment a on Project { ...a }'],
    ['with an unknown directive', invalid, '{ project { id @nothing } }'],
    ['with a directive twice', invalid, '{ project { id @skip(if: true) @skip(if: true) } }'],
    ['of an undeclared variable', ['id', 'invalid_type'], '{ post(id: $id) { id } }'],
    ['of a field that is called as the body is', invalid, '{ params }'],
    ['of an unknown operation', ['operationName', 'unknown_operation'], 'query A { a }', 'B'],
    ['of several operations', ['operationName', 'required'], 'query A { a } query B { b }'],
    ['of no operation', ['operationName', 'required'], 'fragment a on Project { id }'],
  ])('%s is refused', async (_, issue, query, operationName) => {
    const issues = await refuse({ query, ...(operationName ? { operationName } : {}) });
    expect(issues).toContainEqual(issue);
  });

  test('can have several operations if the request names one', async () => {
    const query = 'query A { project { id } } query B { limits { pageSize } }';
    const { body } = await app.api.call('POST', '/graphql', { query, operationName: 'B' });
    expect(body).toEqual({ data: { limits: { pageSize: 100 } } });
  });
});

describe('the limits of a document', () => {
  const circles = many(
    80,
    (i) => `fragment f${i} on Project { ...f${(i + 1) % 80} ...f${(i * 7) % 80} }`,
  );
  const deep = '{ events { nodes { post '.repeat(3);
  const doubled = many(99, (i) => `fragment f${i} on Project { ...f${i + 1} ...f${i + 1} }`);

  test.each<[string, string, string]>([
    ['10,000 aliases', 'too_many_tokens', `{ ${many(10_000, (i) => `a${i}:a`)} }`],
    ['400 aliases', 'too_many_fields', `{ ${many(400, (i) => `a${i}: __typename`)} }`],
    ['a wide selection', 'too_many_fields', `{ project { ${many(400, () => 'id')} } }`],
    ['10,000 directives', 'too_many_tokens', `{ a ${many(10_000, () => '@a')} }`],
    ['200 directives', 'too_many_directives', `{ a ${many(200, () => '@skip(if: true)')} }`],
    ['a huge document', 'too_long', `{ project { id } } # ${'x'.repeat(100_000)}`],
    ['a deep one', 'too_deep', `{ posts { nodes ${deep} { id } ${'} } }'.repeat(3)} } }`],
    ['a bottomless list', 'too_many_tokens', `{ post(id: ${'['.repeat(3_000)}) { id } }`],
    [
      'large pages',
      'too_complex',
      `{ ${many(50, (i) => `a${i}: posts(first: 100) { nodes { id } }`)} }`,
    ],
    [
      'pages in pages',
      'too_complex',
      '{ posts(first: 99) { nodes { events(first: 99) { nodes { id } } } } }',
    ],
    [
      'fragments that double',
      'too_many_fields',
      `{ project { ...f0 } } ${doubled} fragment f99 on Project { id }`,
    ],
    [
      'introspection many times over',
      'too_many_fields',
      `{ ${many(4, (i) => `a${i}: __schema { ...F }`)} }
       fragment F on __Schema { ${many(20, (i) => `b${i}: types { ...G }`)} }
       fragment G on __Type { fields { type { fields { name } } } }`,
    ],
    [
      'five introspections',
      'too_many_introspections',
      `{ ${many(5, (i) => `a${i}: __schema { types { name } }`)} }`,
    ],
    ['fragments in many circles', 'invalid_document', `{ project { ...f0 } } ${circles}`],
  ])('refuse %s: %s', async (_, code, query) => {
    const cpuMs = startCpuTimer();
    const issues = await refuse({ query });
    expect(issues[0]).toEqual(['query', code]);
    expect(cpuMs()).toBeLessThan(1_000);
  });

  test('report the count and the limit', async () => {
    const query = `{ ${many(400, (i) => `a${i}: __typename`)} }`;
    const { body } = await app.api.call('POST', '/graphql', { query });
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0]).toMatchObject({
      message: 'query: must have at most 300 fields and has 400',
      extensions: { issues: [{ actual: 400, limit: 300 }] },
    });
  });

  test('apply before any field runs', async () => {
    const before = await app.api.get('/v1/webhooks');
    const one = 'createWebhook(input: { url: "https://example.com/a" }) { webhook { id } }';
    const query = `mutation { ${many(20, (i) => `a${i}: ${one}`)} ${many(12, (i) => `b${i}: createPosts(input: { posts: [${many(50, () => '{}')}] }) { post { results { id } } }`)} }`;
    const { body } = await app.api.call('POST', '/graphql', { query });
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].extensions.issues[0].code).toBe('too_complex');
    expect((await app.api.get('/v1/webhooks')).body.data).toEqual(before.body.data);
  });

  test('count only the operation that runs', async () => {
    const wide = many(50, (i) => `a${i}: posts(first: 100) { nodes { id } }`);
    const query = `query Small { project { id } } query Wide { ${wide} }`;
    const small = await app.api.call('POST', '/graphql', { query, operationName: 'Small' });
    expect(small.body.data.project.id).toBe(app.tenant.projectId);
    expect(await refuse({ query, operationName: 'Wide' })).toEqual([['query', 'too_complex']]);
  });

  test('shorten long names in errors', async () => {
    const query = `{ post(id: ${'['.repeat(900)}${']'.repeat(900)}) { id } }`;
    const answer = await app.api.call('POST', '/graphql', { query });
    expect(answer.text.length).toBeLessThan(5_000);
  });
});

describe('a value', () => {
  const create = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }';

  test('is reported by its path, with all other issues, if its type is wrong', async () => {
    const second = { accountId: 'b', threadPosition: 'x', nothing: 1 };
    const input = { caption: 7, platformPosts: [{ caption: 'a' }, second], status: 'NOPE' };
    expect(await refuse({ query: create, variables: { input } })).toEqual([
      ['input.caption', 'invalid_type'],
      ['input.platformPosts[0].accountId', 'required'],
      ['input.platformPosts[1].threadPosition', 'invalid_type'],
      ['input.platformPosts[1].nothing', 'unknown_field'],
      ['input.status', 'invalid_type'],
    ]);
  });

  test('has at most 100 issues', async () => {
    const wrong = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
    const input = { caption: 'a', platformPosts: [{ accountId: 'b' }], ...wrong };
    expect(await refuse({ query: create, variables: { input } })).toHaveLength(100);
  });

  test('is checked quickly if it has thousands of members', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
    const cpuMs = startCpuTimer();
    const input = { caption: 'a', metadata };
    const { body } = await app.api.call('POST', '/graphql', {
      query: create,
      variables: { input },
    });
    expect(cpuMs()).toBeLessThan(2_000);
    expect(body.errors[0].message).toContain('input.metadata.k0: must be a string');
  });

  test('is reported even if it is in the document itself', async () => {
    const input =
      '{ caption: 7, platformPosts: [{}, { accountId: "b", threadPosition: "x" }], nothing: 1 }';
    const query = `mutation { createPost(input: ${input}) { id } }`;
    const issues = await refuse({ query });
    expect(Object.fromEntries(issues)).toEqual({
      'input.caption': 'invalid_type',
      'input.nothing': 'unknown_field',
      'input.platformPosts[0].accountId': 'required',
      'input.platformPosts[1].threadPosition': 'invalid_type',
    });
  });

  test('is reported if it is missing', async () => {
    const query = 'query ($id: ID!) { post(id: $id) { id } }';
    expect(await refuse({ query })).toEqual([['id', 'required']]);
    expect(await refuse({ query, variables: { id: null } })).toEqual([['id', 'required']]);
  });

  test('is reported if it is a number out of range', async () => {
    const query = 'query ($first: Int) { posts(first: $first) { nodes { id } } }';
    const issues = await refuse({ query, variables: { first: 2 ** 40 } });
    expect(issues).toEqual([['first', 'invalid_type']]);
  });
});

describe('a request over HTTP', () => {
  const query = '{ __typename }';

  test.each<[string, unknown, Shown]>([
    ['a batch', [{ query }], ['body', 'batch_not_supported']],
    ['a batch of nothing', [], ['body', 'batch_not_supported']],
    ['null', null, ['body', 'invalid_type']],
    ['text', 'query', ['body', 'invalid_type']],
    ['no document', {}, ['query', 'required']],
    ['a document that is a number', { query: 7 }, ['query', 'invalid_type']],
    ['variables in a list', { query, variables: [] }, ['variables', 'invalid_type']],
    ['variables as text', { query, variables: '{}' }, ['variables', 'invalid_type']],
    ['extensions as text', { query, extensions: '{}' }, ['extensions', 'invalid_type']],
    ['another member', { query, nothing: 1 }, ['nothing', 'unknown_field']],
  ])('is refused if it sends %s', async (_, body, issue) => {
    const answer = await app.api.call('POST', '/graphql', JSON.stringify(body), {
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(400);
    expect(issuesOf(answer.body.errors)).toEqual([issue]);
  });

  test('is refused if it is a GET whose variables are not JSON', async () => {
    const answer = await app.api.get(`/graphql?query=${encodeURIComponent(query)}&variables={`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].extensions.code).toBe('malformed_json');
  });

  test('is refused if its variables exceed the body limit', async () => {
    const variables = { input: { caption: 'x'.repeat(1_100_000) } };
    const answer = await app.api.call('POST', '/graphql', { query, variables });
    expect(answer.status).toBe(413);
    expect(answer.body.errors[0].extensions.code).toBe('payload_too_large');
  });
});
