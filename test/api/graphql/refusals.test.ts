// Requests that GraphQL refuses before any field runs, masked errors, and paths outside /graphql.
import { createHash } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApi } from '../../support/app/api.ts';
import { startApp, type TestApp, useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

const app = useApp({ env: { FANFARE_MAX_BODY_BYTES: '20000', FANFARE_LOG_LEVEL: 'silent' } });

describe('the key', () => {
  test('is not needed to read the schema', async () => {
    const { __schema } = await ask(app, getIntrospectionQuery(), {}, '');
    expect(__schema.queryType.name).toBe('Query');
  });

  test('is needed for anything else: 401 with WWW-Authenticate', async () => {
    const none = await createApi(app.url, '').graphql('{ limits { bodyBytes } }');
    expect(none.status).toBe(401);
    expect(none.headers.get('WWW-Authenticate')).toContain('Bearer');
    expect(none.body.errors[0].extensions.code).toBe('unauthorized');
    const wrong = await createApi(app.url, 'wrong').graphql('{ __typename }');
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('X-Request-Id')).toBe(wrong.body.errors[0].extensions.requestId);
  });
});

describe('too many requests', () => {
  test('get 429 with the time to wait', async () => {
    await using limited = await startApp({
      roles: { api: true, worker: false },
      env: { FANFARE_RATE_LIMIT_PER_MINUTE: '3' },
    });
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await limited.api.graphql('{ limits { pageSize } }'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    const { headers, body } = answers[3]!;
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(body.errors[0].extensions).toMatchObject({ code: 'rate_limited', isRetriable: true });
  });
});

describe('a request', () => {
  const post = (body: unknown, headers = {}) => app.api.call('POST', '/graphql', body, { headers });

  test.each([
    ['broken JSON', '{', 'malformed_json', 400],
    ['a broken document', { query: '{ posts {' }, 'validation_error', 200],
    ['an unknown field', { query: '{ nothing }' }, 'validation_error', 200],
    ['an empty document', { query: '' }, 'validation_error', 200],
    ['no document', {}, 'validation_error', 400],
    ['a batch', [{ query: '{ __typename }' }], 'validation_error', 400],
    ['a large body', { query: `{ a } # ${'x'.repeat(20_000)}` }, 'payload_too_large', 413],
    [
      'no choice of an operation',
      { query: 'query A { __typename } query B { __typename }' },
      'validation_error',
      200,
    ],
  ])('is refused if it has %s', async (_, body, code, status) => {
    const answer = await post(body);
    expect(answer.body.errors[0].extensions).toMatchObject({ code, isRetriable: false });
    expect(answer.status).toBe(status);
  });

  test.each([
    ['text/plain', 'query'],
    ['application/x-www-form-urlencoded', 'query=%7B__typename%7D'],
    ['application/graphql', '{ __typename }'],
  ])('is refused if its media type is %s', async (type, body) => {
    const answer = await post(body, { 'content-type': type });
    expect(answer.status).toBe(415);
    expect(answer.body.errors[0].extensions.code).toBe('unsupported_media_type');
  });

  test.each(['text/plain', 'image/*', 'application/xml', 'application/json;charset=latin1'])(
    'is refused before its mutation runs if its client accepts only %s',
    async (accept) => {
      const query = 'mutation { createWebhook(input: { url: "https://example.com/x" }) { id } }';
      const answer = await post({ query }, { accept, 'x-request-id': 'mine-2' });
      expect(answer.status).toBe(406);
      expect(answer.headers.get('Content-Type')).toContain('application/json');
      expect(answer.headers.get('X-Request-Id')).toBe('mine-2');
      expect(answer.body.errors).toMatchObject([
        { extensions: { code: 'not_acceptable', isRetriable: false, requestId: 'mine-2' } },
      ]);
      expect((await app.api.get('/v1/webhooks')).body.data).toEqual([]);
    },
  );

  test.each([
    '*/*',
    'application/*',
    'APPLICATION/JSON; charset=utf-8',
    'text/html, */*;q=0.8',
    '',
  ])('is answered if its client accepts %j', async (accept) => {
    const answer = await post({ query: '{ project { id } }' }, { accept });
    expect(answer.body.data.project.id).toBe(app.tenant.projectId);
  });

  test('may be a GET if it has no mutation', async () => {
    const read = await app.api.get(`/graphql?query=${encodeURIComponent('{ project { id } }')}`);
    expect(read.body.data.project.id).toBe(app.tenant.projectId);
    const write = encodeURIComponent('mutation { deleteWebhook(id: "x") }');
    const refused = await app.api.get(`/graphql?query=${write}`);
    expect(refused.status).toBe(405);
    expect(refused.body.errors[0].extensions.code).toBe('method_not_allowed');
  });

  test('gets its own request ID back', async () => {
    const answer = await post({ query: '{ post(id: "x") { id } }' }, { 'x-request-id': 'mine-1' });
    expect(answer.headers.get('X-Request-Id')).toBe('mine-1');
    expect(answer.body.errors[0].extensions.requestId).toBe('mine-1');
  });
});

describe('an unexpected error', () => {
  test('is masked, and carries the request ID', async () => {
    const { db } = app.context;
    await sql`alter table projects rename to projects_away`.execute(db);
    try {
      const refused = await askRefused(app, '{ project { id } }');
      expect(refused).toMatchObject({ code: 'internal', path: ['project'], isRetriable: true });
      expect(JSON.stringify(refused)).not.toContain('projects');
      expect(refused.requestId).toMatch(/^req_/);
    } finally {
      await sql`alter table projects_away rename to projects`.execute(db);
    }
  });
});

describe('the router', () => {
  test('serves other paths, and answers unknown ones with the 404 of REST', async () => {
    expect((await app.api.get('/livez')).body).toEqual({ status: 'ok', failing: [] });
    expect((await app.api.get('/')).text).toContain('Fanfare');
    for (const path of [
      '/nothing',
      '/graphql/nothing',
      '/graphqlx',
      '/v1/nothing',
      '/v1x',
      '//v1',
      '//',
      '//evil/v1',
    ]) {
      const answer = await app.api.get(app.url + path);
      expect(answer.status).toBe(404);
      expect(answer.body.error.code).toBe('not_found');
    }
  });

  test('serves GraphiQL to browsers', async () => {
    const page = await app.api.get('/graphql', { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toContain('text/html');
    const [, script] = /<script>([\s\S]*)<\/script>/.exec(page.text)!;
    // So a browser takes all of it for the one script: nothing in it ends it earlier.
    expect(script).not.toMatch(/<\/script/i);
    expect(script!.slice(script!.indexOf('<!--'))).not.toMatch(/<script/i);
    const hash = createHash('sha256').update(script!).digest('base64');
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'sha256-${hash}';`);
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    const answer = await app.api.graphql('{ __typename }');
    expect(answer.headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
  });

  test.each(['/', '/docs', '/sandbox/posts', '/connect/cs_1'])(
    'lets no other site show %s in a frame',
    async (path) => {
      const { headers } = await app.api.get(path, { headers: { accept: 'text/html' } });
      expect(headers.get('content-type')).toContain('text/html');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-frame-options')).toBe('DENY');
    },
  );

  test('accepts schema queries of at most 8 kB without a key', async () => {
    const none = createApi(app.url, '');
    const query = (length: number) => ({ query: '{ __typename }'.padEnd(length, '#') });
    const overhead = JSON.stringify(query(20)).length - 20;
    const post = (length: number, api = none) => api.call('POST', '/graphql', query(length));
    expect((await post(8_192 - overhead)).status).toBe(200);
    const large = await post(8_193 - overhead);
    expect(large.status).toBe(413);
    expect(large.body.errors[0].extensions).toMatchObject({
      code: 'payload_too_large',
      limit: 8_192,
    });
    expect((await post(15_000, app.api)).status).toBe(200);
    expect((await post(15_000, createApi(app.url, 'wrong'))).status).toBe(401);
    const asked = encodeURIComponent(query(9_000).query.replaceAll('#', ' '));
    const address = `/graphql?query=${asked.slice(0, 9_000)}`;
    expect((await none.get(address)).status).toBe(413);
  });

  test('reads no body of unknown length without a key', async () => {
    const answer = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: new Blob(['{"query":"{ __typename }"}']).stream(),
      duplex: 'half',
    });
    expect(answer.status).toBe(413);
  });
});

describe('with introspection off', () => {
  let shut: TestApp;

  beforeAll(async () => {
    shut = await startApp({
      roles: { api: true, worker: false },
      env: { FANFARE_INTROSPECTION: 'false', FANFARE_GRAPHIQL: 'false' },
    });
  });
  afterAll(() => shut.stop());

  test.each(['{ __schema { types { name } } }', '{ __type(name: "Post") { name } }'])(
    'the schema is hidden: %s',
    async (query) => {
      const refused = await askRefused(shut, query);
      expect(refused.code).toBe('validation_error');
      expect(refused.message).toContain('introspection has been disabled');
    },
  );

  test('documents can select __typename', async () => {
    const { project } = await ask(shut, '{ project { __typename id } }');
    expect(project).toEqual({ __typename: 'Project', id: shut.tenant.projectId });
  });

  test('there is no GraphiQL, and errors suggest no names', async () => {
    const page = await shut.api.get('/graphql', { headers: { accept: 'text/html' } });
    expect(page.status).toBe(406);
    expect(page.body.errors[0].extensions.code).toBe('not_acceptable');
    const refused = await askRefused(shut, '{ projec { id } }');
    expect(refused.message).not.toContain('project');
  });
});
