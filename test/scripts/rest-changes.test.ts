// A change of REST breaks clients or not, by the documents before and after it.
import { describe, expect, test } from 'vitest';
import { generated } from '../../scripts/generate.ts';
import { findRestChanges, type RestDocument } from '../../scripts/rest-changes.ts';

type Json = Record<string, unknown>;

const text = { type: 'string' };
const body = (schema: object) => ({ content: { 'application/json': { schema } } });

/** A document with one operation, which takes a draft and answers with a post. */
function write(parts: { draft?: Json; post?: Json; operation?: Json; message?: Json } = {}) {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const object = (properties: Json, required: string[] = []) => ({
    type: 'object',
    properties,
    required,
  });
  const draft = { ...object({ caption: text, parts: { type: 'array', items: ref('Draft') } }) };
  return {
    paths: {
      '/v1/posts': {
        post: {
          operationId: 'createPost',
          parameters: [{ name: 'test', in: 'query', schema: { type: 'boolean' } }],
          requestBody: { required: true, ...body(ref('Draft')) },
          responses: { 201: body(ref('Post')), default: body(ref('Post')) },
          ...parts.operation,
        },
      },
    },
    webhooks: {
      'post.failed': { post: { requestBody: body(parts.message ?? ref('Post')), responses: {} } },
    },
    components: {
      schemas: {
        Draft: { ...draft, additionalProperties: false, ...parts.draft },
        Post: { ...object({ id: text, url: { type: ['string', 'null'] } }, ['id']), ...parts.post },
      },
    },
  } as RestDocument;
}

const properties = (members: Json) => ({ properties: members });
const draft = (members: Json, rest: Json = {}) =>
  write({ draft: { ...properties(members), ...rest } });
const post = (members: Json, rest: Json = {}) =>
  write({ post: { ...properties(members), ...rest } });
const parts = { type: 'array', items: { $ref: '#/components/schemas/Draft' } };
const url = { type: ['string', 'null'] };

describe('a request breaks its clients', () => {
  test.each([
    ['without a member', draft({ parts }), 'request.caption was removed'],
    [
      'with a new type',
      draft({ parts, caption: { type: 'integer' } }),
      'request.caption no longer takes string',
    ],
    [
      'with fewer words',
      draft({ parts, caption: { type: 'string', enum: ['a'] } }),
      'request.caption no longer takes any value',
    ],
    [
      'with a lower limit',
      draft({ parts, caption: { ...text, maxLength: 5 } }),
      'request.caption changed its maxLength',
    ],
    [
      'with a mandatory member',
      draft({ parts, caption: text }, { required: ['caption'] }),
      'request.caption became required',
    ],
    ['without a parameter', write({ operation: { parameters: [] } }), 'parameter test was removed'],
    [
      'with a mandatory parameter',
      write({
        operation: {
          parameters: [{ name: 'test', in: 'query', required: true, schema: { type: 'boolean' } }],
        },
      }),
      'parameter test became required',
    ],
  ])('%s', (_, after, change) => {
    expect(findRestChanges(write(), after)).toEqual([`POST /v1/posts: ${change}`]);
  });

  test('without its body', () => {
    const { requestBody: _, ...operation } = write().paths!['/v1/posts']!['post']!;
    const after = { ...write(), paths: { '/v1/posts': { post: operation } } };
    expect(findRestChanges(write(), after)).toEqual(['POST /v1/posts: request was removed']);
    expect(findRestChanges(after, write())).toEqual(['POST /v1/posts: request became required']);
  });
});

describe('an answer breaks its clients', () => {
  const where = [
    'POST /v1/posts: response 201',
    'POST /v1/posts: response default',
    'POST post.failed: message',
  ];

  test.each([
    ['without a member', post({ id: text }), '.url was removed'],
    ['without a mandatory member', post({ url }), '.id was removed'],
    ['with an optional member', post({ id: text, url }, { required: [] }), '.id became optional'],
    ['with null', post({ id: { type: ['string', 'null'] }, url }), '.id may now be null'],
    ['with another type', post({ id: { type: 'integer' }, url }), '.id may now be integer'],
  ])('%s', (_, after, change) => {
    expect(findRestChanges(write(), after)).toEqual(where.map((place) => `${place}${change}`));
  });

  test('with a new status, or without an old status', () => {
    const responses = { 202: body({ $ref: '#/components/schemas/Post' }) };
    expect(findRestChanges(write(), write({ operation: { responses } }))).toEqual([
      'POST /v1/posts: response 201 was removed',
      'POST /v1/posts: response 202 was added',
    ]);
  });

  test('with another constant', () => {
    const message = (word: string) => write({ message: { type: 'string', enum: [word] } });
    expect(findRestChanges(message('a'), message('b'))).toEqual([
      'POST post.failed: message may now be b',
    ]);
  });
});

test('an operation breaks its clients if it loses its path, its name or its message', () => {
  expect(findRestChanges(write(), {})).toEqual([
    'POST /v1/posts was removed',
    'POST post.failed was removed',
  ]);
  expect(findRestChanges(write(), write({ operation: { operationId: 'makePost' } }))).toEqual([
    'POST /v1/posts: operationId became makePost',
  ]);
});

describe('no client breaks', () => {
  test.each([
    ['the same document', write(), write()],
    [
      'a new member of an answer',
      write(),
      post({ id: text, url, title: text }, { required: ['id', 'title'] }),
    ],
    ['a new optional member of a request', write(), draft({ caption: text, parts, title: text })],
    [
      'a higher limit',
      draft({ caption: { ...text, maxLength: 5 }, parts }),
      draft({ caption: { ...text, maxLength: 6 }, parts }),
    ],
    [
      'another word of a request',
      draft({ caption: { ...text, enum: ['a'] }, parts }),
      draft({ caption: { ...text, enum: ['a', 'b'] }, parts }),
    ],
    ['an answer that is never null now', write(), post({ id: text, url: text })],
    [
      'a new error',
      write(),
      write({
        operation: {
          responses: {
            ...write().paths!['/v1/posts']!['post']!.responses,
            409: body({ type: 'string' }),
          },
        },
      }),
    ],
    [
      'a removed member that was deprecated',
      draft({ caption: { ...text, deprecated: true }, parts }),
      draft({ parts }),
    ],
    [
      'a removed operation that was deprecated',
      write({ operation: { deprecated: true } }),
      { ...write(), paths: {} },
    ],
  ])('by %s', (_, before, after) => {
    expect(findRestChanges(before, after)).toEqual([]);
  });
});

test("comparing Fanfare's own document finds no change with itself, and finds each removed member", () => {
  const read = () => JSON.parse(generated()['schema/openapi.json']!) as RestDocument;
  expect(findRestChanges(read(), read())).toEqual([]);
  const after = read();
  delete after.components!.schemas!['Post']!.properties!['caption'];
  expect(findRestChanges(read(), after)).toContain(
    'GET /v1/posts/{id}: response 200.data.caption was removed',
  );
});
