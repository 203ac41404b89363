// Stored GraphQL documents: from a file, or sent once by a client.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEventStream } from '../../../api/cli/listen/event-stream.ts';
import { createStoredDocuments } from '../../../api/graphql/server/stored-documents.ts';
import { ConfigError } from '../../../schema/config/config.ts';
import { createApi, type Api } from '../../support/app/api.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { subscribeOverSocket } from '../../support/graphql/graphql.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const apolloName = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: hashOf(text) } });

const project = 'query Project { project { id } }';
const posts = 'subscription { postUpdated { cursor } }';
const post = 'query Post($id: ID!) { post(id: $id) { id } }';
const revoke = 'mutation Revoke { revokeApiKey(id: "x") { id } }';

let directory: string;
let file: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fanfare-documents-'));
  file = join(directory, 'documents.json');
  const documents = { [`sha256:${hashOf(project)}`]: project, 'post-1': post, posts, revoke };
  await writeFile(file, JSON.stringify(documents));
});
afterAll(() => rm(directory, { recursive: true }));

const roles = { api: true, worker: false };

describe('stored documents', () => {
  let app: TestApp;
  const send = (body: object, api: Api = app.api) => api.call('POST', '/graphql', body);

  beforeAll(async () => {
    app = await startApp({ roles, env: { FANFARE_PERSISTED_DOCUMENTS: file } });
  });
  afterAll(() => app.stop());

  test.each([
    ['documentId', { documentId: `sha256:${hashOf(project)}` }],
    ['documentId without its prefix', { documentId: hashOf(project).toUpperCase() }],
    ["Apollo's extension", { extensions: apolloName(project) }],
    ['documentId with an empty document', { query: '', documentId: hashOf(project) }],
  ])('are named by %s', async (_, body) => {
    const answer = await send(body);
    expect(answer.body).toEqual({ data: { project: { id: app.tenant.projectId } } });
  });

  test('are named in a GET', async () => {
    const id = encodeURIComponent(`sha256:${hashOf(project)}`);
    const byId = await app.api.get(`/graphql?documentId=${id}`);
    expect(byId.body.data.project.id).toBe(app.tenant.projectId);
    const extensions = encodeURIComponent(JSON.stringify(apolloName(project)));
    const byHash = await app.api.get(`/graphql?extensions=${extensions}`);
    expect(byHash.body.data.project.id).toBe(app.tenant.projectId);
  });

  test('accept variables and an operation name', async () => {
    const answer = await send({
      documentId: 'post-1',
      operationName: 'Post',
      variables: { id: 'post_x' },
    });
    expect(answer.body.errors[0].extensions.code).toBe('not_found');
    expect(answer.body.errors[0].path).toEqual(['post']);
  });

  test('require a POST if they have a mutation', async () => {
    const answer = await app.api.get('/graphql?documentId=revoke');
    expect(answer.status).toBe(405);
    expect(answer.body.errors[0].extensions.code).toBe('method_not_allowed');
  });

  test('are refused with their ID if they are unknown', async () => {
    const byId = await send({ documentId: 'nothing' });
    expect(byId.status).toBe(404);
    expect(byId.body.errors[0]).toMatchObject({
      message: 'documentId: is not the id of a stored document: nothing',
      extensions: { code: 'not_found', issues: [{ path: 'documentId', code: 'unknown_document' }] },
    });
    const byHash = await send({ extensions: apolloName('{ nothing }') });
    expect(byHash.body.errors[0]).toMatchObject({
      message: 'PersistedQueryNotFound',
      extensions: { issues: [{ path: 'extensions.persistedQuery.sha256Hash' }] },
    });
  });

  test('require a string as their ID', async () => {
    const answer = await send({ documentId: 7 });
    expect(answer.body.errors[0].extensions).toMatchObject({
      code: 'validation_error',
      issues: [{ path: 'documentId', code: 'invalid_type' }],
    });
  });

  test('work on a socket too', async () => {
    const named = { url: app.url, key: app.tenant.key, query: '' };
    await using byId = subscribeOverSocket({ ...named, payload: { documentId: 'posts' } });
    await using byHash = subscribeOverSocket({
      ...named,
      payload: { extensions: apolloName(posts) },
    });
    await using unknown = subscribeOverSocket({ ...named, payload: { documentId: 'nothing' } });
    const account = await app.tenant.connectSandbox('ada');
    await app.tenant.createPost({ caption: 'a', account_ids: [account.id], status: 'draft' });
    for (const subscription of [byId, byHash]) {
      const [message] = await subscription.waitFor(1);
      expect(message.data.postUpdated.cursor).toBeTypeOf('string');
    }
    const [refused] = await unknown.waitFor(1);
    expect(refused.failed[0].extensions.issues[0].code).toBe('unknown_document');
  });

  test('allow other documents too, and the server keeps those that are sent with their hash', async () => {
    const query = '{ limits { pageSize } }';
    const extensions = apolloName(query);
    const before = await send({ extensions });
    expect(before.body.errors[0].message).toBe('PersistedQueryNotFound');
    const sent = await send({ query, extensions });
    const after = await send({ extensions });
    expect(after.body).toEqual(sent.body);
    expect(after.body.data.limits.pageSize).toBe(100);
  });

  test('are not kept without a key, or with the hash of another document', async () => {
    const query = '{ __typename }';
    const extensions = apolloName(query);
    const anonymous = createApi(app.url, '');
    expect((await send({ query, extensions }, anonymous)).body.data).toEqual({
      __typename: 'Query',
    });
    expect((await send({ extensions })).status).toBe(404);
    const wrong = await send({ query: '{ __schema { __typename } }', extensions });
    expect(wrong.body.errors[0].extensions.issues[0]).toMatchObject({
      path: 'extensions.persistedQuery.sha256Hash',
      code: 'hash_mismatch',
    });
    expect((await send({ extensions })).status).toBe(404);
  });

  test("work with Apollo's link", async () => {
    const bodies: string[] = [];
    const http = new HttpLink({
      uri: `${app.url}/graphql`,
      headers: { authorization: `Bearer ${app.tenant.key}` },
      fetch: (url, options) => {
        bodies.push(options?.body as string);
        return fetch(url, options);
      },
    });
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: new PersistedQueryLink({ sha256: hashOf }).concat(http),
    });
    const query = gql('query Mine { project { id name } }');
    for (let i = 0; i < 2; i++) {
      const { data } = await client.query<{ project: { id: string } }>({
        query,
        fetchPolicy: 'network-only',
      });
      expect(data?.project.id).toBe(app.tenant.projectId);
    }
    expect(bodies.map((body) => body.includes('query Mine'))).toEqual([false, true, false]);
  });
});

describe('FANFARE_PERSISTED_ONLY', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({
      roles,
      env: { FANFARE_PERSISTED_DOCUMENTS: file, FANFARE_PERSISTED_ONLY: 'true' },
    });
  });
  afterAll(() => app.stop());

  const refusal = {
    code: 'validation_error',
    issues: [{ path: 'query', code: 'document_not_stored' }],
  };

  const other = 'query Other { project { id } }';

  test.each([
    ['a document', { query: other }],
    ['a document with its hash', { query: other, extensions: apolloName(other) }],
    ['a document beside the name of a stored one', { query: other, documentId: 'post-1' }],
    ['nothing', {}],
  ])('refuses %s', async (_, body) => {
    const answer = await app.api.call('POST', '/graphql', body);
    expect(answer.body.errors[0].extensions).toMatchObject(refusal);
  });

  test("doesn't ask clients to send a document for an unknown hash", async () => {
    const answer = await app.api.call('POST', '/graphql', { extensions: apolloName(other) });
    expect(answer.body.errors[0]).toMatchObject({
      message: expect.stringContaining('is not the id of a stored document'),
      extensions: { code: 'not_found' },
    });
  });

  test.each([
    ['by their name', { documentId: hashOf(project) }],
    ['as they are', { query: project }],
  ])('answers stored documents, %s', async (_, body) => {
    const answer = await app.api.call('POST', '/graphql', body);
    expect(answer.body.data.project.id).toBe(app.tenant.projectId);
  });

  test('answers the documents of `listen`', async () => {
    const ended = new AbortController();
    const events = openEventStream({
      url: app.url,
      key: app.tenant.key,
      types: undefined,
      isTest: false,
      onLost: (reason) => expect.fail(reason),
      onResumed: () => undefined,
      signal: ended.signal,
    });
    const cursor = await events.readCursor();
    await app.tenant.connectSandbox('ada');
    for await (const { event } of events.after(cursor)) {
      expect(event!.body).toContain('account.connected');
      ended.abort();
    }
  });

  test('applies on sockets too', async () => {
    const { url, tenant } = app;
    await using subscription = subscribeOverSocket({ url, key: tenant.key, query: `${posts} ` });
    const [refused] = await subscription.waitFor(1);
    expect(refused.failed[0].extensions).toMatchObject(refusal);
  });
});

describe('the file of documents', () => {
  async function read(content: string) {
    const path = join(directory, 'other.json');
    await writeFile(path, content);
    return createStoredDocuments({ path, isOnly: true });
  }

  test("may be a manifest of Apollo's", async () => {
    const documents = await read(
      JSON.stringify({
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [{ id: hashOf(project), name: 'Project', type: 'query', body: project }],
      }),
    );
    expect(documents.readDocument({ documentId: hashOf(project) }, true)).toBe(project);
  });

  test.each([
    ['{', 'cannot be read'],
    ['[]', 'must be {"<id>": "<document>"} or a manifest'],
    ['{"a": 1}', 'must be {"<id>": "<document>"} or a manifest'],
    ['{"a": "{ broken"}', 'has an invalid document at "a": Syntax Error'],
    ['{"a": "{ nope }"}', 'has an invalid document at "a": Cannot query field'],
  ])('is refused as %s', async (content, message) => {
    await expect(read(content)).rejects.toThrow(ConfigError);
    await expect(read(content)).rejects.toThrow(message);
  });

  test('must exist', () => {
    const path = join(directory, 'nowhere.json');
    expect(() => createStoredDocuments({ path, isOnly: false })).toThrow(/nowhere\.json cannot/);
  });
});
