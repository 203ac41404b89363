// The filters of the list of posts, which both APIs share.
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../../support/app/app.ts';
import { ask, askRefused } from '../../../support/graphql/graphql.ts';
import { plantPosts } from '../../../support/lists/planted-posts.ts';

const app = useApp({ roles: { api: true, worker: false } });

const at = (day: number) => new Date(Date.UTC(2030, 0, day));
let ada: string;
let bob: string;

/** Posts by the caption that names them. */
beforeAll(async () => {
  ada = (await app.tenant.connectSandbox('ada', { external_user_id: 'user-a' })).id;
  bob = (await app.tenant.connectSandbox('bob', { external_user_id: 'user-b' })).id;
  const { db } = app.context;
  await plantPosts(db, app.tenant.projectId, [
    { caption: 'one', labels: ['spring', 'Berlin, Mitte'], targets: [{ accountId: ada }] },
    {
      caption: 'two',
      labels: ['autumn'],
      metadata: { campaign: 'launch', 'key[0]': 'x', owner: 'ada' },
      status: 'scheduled',
      scheduled_at: at(2),
      targets: [{ accountId: bob, caption: 'Zwei Äpfel' }],
    },
    {
      caption: 'three: #BigLaunch at example.com/sale_now, ÜBER-raschung',
      metadata: { campaign: 'launch' },
      status: 'published',
      scheduled_at: at(3),
      published_at: at(4),
      created_at: at(1),
      targets: [{ accountId: ada, caption: 'drei' }, { accountId: bob }],
    },
    { caption: 'four', status: 'failed', scheduled_at: at(4), created_at: at(2) },
  ]);
  // Never found, because it belongs to another project.
  const other = await app.createTenant('other');
  await plantPosts(db, other.projectId, [
    { caption: 'one two three', labels: ['spring'], metadata: { campaign: 'launch' } },
  ]);
});

const nameOf = (caption: string) => caption.split(':')[0]!;

async function find(query: string): Promise<string[]> {
  const { status, body } = await app.api.get(`/v1/posts?${query}`);
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
  return body.data.map(({ caption }: { caption: string }) => nameOf(caption)).toSorted();
}

async function findInGraphql(args: string): Promise<string[]> {
  const { posts } = await ask(app, `{ posts(${args}) { nodes { caption } } }`);
  return posts.nodes.map(({ caption }: { caption: string }) => nameOf(caption)).toSorted();
}

const day = (number: number) => at(number).toISOString();

describe('a filter finds', () => {
  test.each([
    ['status=failed', 'statuses: [FAILED]', ['four']],
    ['status=failed,scheduled', 'statuses: [FAILED, SCHEDULED]', ['four', 'two']],
    ['status=failed&status=scheduled', 'statuses: [FAILED, SCHEDULED]', ['four', 'two']],
    ['status=canceled', 'status: CANCELED', []],
    ['label=spring', 'labels: ["spring"]', ['one']],
    ['label=Spring', 'labels: ["Spring"]', []],
    ['label=Berlin, Mitte', 'labels: ["Berlin, Mitte"]', ['one']],
    ['label=spring&label=autumn', 'labels: ["spring", "autumn"]', ['one', 'two']],
    ['metadata[campaign]=launch', 'metadata: {key: "campaign", value: "launch"}', ['three', 'two']],
    [
      'metadata[campaign]=launch&metadata[owner]=ada',
      'metadata: [{key: "campaign", value: "launch"}, {key: "owner", value: "ada"}]',
      ['two'],
    ],
    ['metadata[key[0]]=x', 'metadata: [{key: "key[0]", value: "x"}]', ['two']],
    ['metadata%5Bcampaign%5D=other', 'metadata: [{key: "campaign", value: "other"}]', []],
    ['external_user_id=user-a', 'externalUserId: "user-a"', ['one', 'three']],
    [`scheduled_from=${day(2)}`, `scheduledFrom: "${day(2)}"`, ['four', 'three', 'two']],
    [
      `scheduled_from=${day(2)}&scheduled_to=${day(4)}`,
      `scheduledFrom: "${day(2)}", scheduledTo: "${day(4)}"`,
      ['three', 'two'],
    ],
    [`published_from=${day(4)}`, `publishedFrom: "${day(4)}"`, ['three']],
    [`published_to=${day(4)}`, `publishedTo: "${day(4)}"`, []],
    [`created_from=${day(1)}`, `createdFrom: "${day(1)}"`, ['four', 'three']],
    [`created_from=${day(1)}&to=${day(2)}`, `from: "${day(1)}", createdTo: "${day(2)}"`, ['three']],
    ['status=draft&label=autumn', 'statuses: [DRAFT], labels: ["autumn"]', []],
  ])('%s', async (query, args, names) => {
    expect(await find(query)).toEqual(names);
    expect(await findInGraphql(args)).toEqual(names);
  });

  test('posts to an account, by either name of the filter', async () => {
    for (const name of ['account_id', 'social_account_id']) {
      expect(await find(`${name}=${bob}`)).toEqual(['three', 'two']);
    }
    expect(await findInGraphql(`accountId: "${bob}"`)).toEqual(['three', 'two']);
    expect(await findInGraphql(`socialAccountId: "${ada}"`)).toEqual(['one', 'three']);
  });
});

describe('q finds posts by', () => {
  test.each([
    ['ONE', ['one']],
    ['thr', ['three']],
    ['example sale', ['three']],
    ['example.com', ['three']],
    ['#biglaunch', ['three']],
    ['über', ['three']],
    ['rasch', ['three']],
    ['äpfel', ['two']],
    ['zwei äp', ['two']],
    ['dr', ['three']],
    ['one two', []],
    ['hree', []],
    ["'; drop table posts; --", []],
    ["one' | 'two", []],
    ['one:* & two:*', []],
    ['<one>', ['one']],
  ])('the words %s', async (q, names) => {
    expect(await find(`q=${encodeURIComponent(q)}`)).toEqual(names);
    expect(await findInGraphql(`q: ${JSON.stringify(q)}`)).toEqual(names);
  });

  test('a word of a long caption, but not one after 10,000 characters', async () => {
    const caption = `${'lorem ipsum '.repeat(800)} dolores ${'a'.repeat(3_000)} posthumous`;
    const [id] = await plantPosts(app.context.db, app.tenant.projectId, [{ caption }]);
    const idsOf = async (q: string) =>
      (await app.api.get(`/v1/posts?q=${q}`)).body.data.map((post: { id: string }) => post.id);
    expect(await idsOf('dolores')).toEqual([id]);
    expect(await idsOf('posthumous')).toEqual([]);
  });
});

describe('refused filters', () => {
  test.each([
    ['status=draft,done', 'status', 'invalid_value'],
    ['label=', 'label', 'too_small'],
    [`label=${'a'.repeat(65)}`, 'label', 'too_big'],
    [Array.from({ length: 21 }, (_, i) => `label=${i}`).join('&'), 'label', 'too_big'],
    ['metadata=launch', 'metadata', 'invalid_type'],
    ['metadata[]=launch', 'metadata[""]', 'invalid'],
    [`metadata[a]=${'a'.repeat(513)}`, 'metadata.a', 'too_big'],
    ['metadata[a]=1&metadata[a]=2', 'metadata.a', 'repeated_parameter'],
    ['metadata=1&metadata[a]=2', 'metadata', 'invalid_type'],
    ['metadata[a]=1&metadata[__proto__]=1', 'metadata.__proto__', 'unknown_parameter'],
    ['labels[a]=1', '["labels[a]"]', 'unknown_parameter'],
    ['q=a', 'q', 'too_small'],
    ['q=%20a%20', 'q', 'too_small'],
    ['q=%3D%3D%3D', 'q', 'no_words'],
    [`q=${'a'.repeat(201)}`, 'q', 'too_big'],
    ['order=caption', 'order', 'invalid_value'],
    ['order=created_at', 'order', 'invalid_value'],
    ['include=everything', 'include', 'invalid_value'],
    ['account_id=a&social_account_id=b', 'social_account_id', 'both_names'],
    [`from=${day(1)}&created_from=${day(1)}`, 'from', 'both_names'],
    [
      `scheduled_from=${day(2)}&scheduled_to=${day(2)}`,
      'scheduled_from',
      'not_before_scheduled_to',
    ],
    [`from=${day(2)}&created_to=${day(1)}`, 'from', 'not_before_created_to'],
  ])('%s', async (query, path, code) => {
    const { status, body } = await app.api.get(`/v1/posts?${query}`);
    expect(status).toBe(422);
    expect(body.error.issues).toMatchObject([{ path, code }]);
  });

  test.each([
    ['q: "a"', 'q', 'too_small'],
    ['labels: ["ok", ""]', 'labels[1]', 'too_small'],
    ['labels: []', 'labels', 'too_small'],
    ['metadata: []', 'metadata', 'invalid'],
    [`metadata: [{key: "a_b", value: "${'a'.repeat(513)}"}]`, 'metadata[0]', 'too_big'],
    [
      'metadata: [{key: "a", value: "1"}, {key: "a", value: "2"}]',
      'metadata[1].key',
      'repeated_parameter',
    ],
    ['status: DRAFT, statuses: [DRAFT]', 'status', 'both_names'],
    ['accountId: "a", socialAccountId: "b"', 'socialAccountId', 'both_names'],
    [
      `scheduledFrom: "${day(2)}", scheduledTo: "${day(1)}"`,
      'scheduledFrom',
      'not_before_scheduled_to',
    ],
  ])('in GraphQL: %s', async (args, path, code) => {
    const refused = await askRefused(app, `{ posts(${args}) { nodes { id } } }`);
    expect(refused).toMatchObject({ code: 'validation_error', issues: [{ path, code }] });
  });
});
