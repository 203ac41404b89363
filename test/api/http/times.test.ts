// The times that both APIs accept in bodies and in filters: RFC 3339, and what generated clients write.
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

const app = useApp({ roles: { api: true, worker: false } });
let account: string;
let postId: string;
beforeAll(async () => {
  account = (await app.tenant.connectSandbox('ada')).id;
  const post = { caption: 'a', account_ids: [account], status: 'draft' };
  postId = (await app.tenant.createPost(post)).id;
});

const inAWeek = new Date(Math.ceil(Date.now() / 1_000 + 7 * 86_400) * 1_000);
const [date, time] = inAWeek.toISOString().slice(0, 19).split('T') as [string, string];
const shifted = (hours: number) =>
  new Date(inAWeek.getTime() + hours * 3_600_000).toISOString().slice(0, 19);

const forms: [form: string, text: string][] = [
  ['as in RFC 3339', `${date}T${time}+00:00`],
  ['in UTC', `${date}T${time}Z`],
  ['with an offset without a colon', `${date}T${time}+0000`],
  ['with a negative offset without a colon', `${shifted(-5.5)}-0530`],
  ['with a space before the time', `${date} ${time}+00:00`],
  ['with spaces before the time and the offset', `${date} ${time} +00:00`],
  ['with a space before `Z`', `${date} ${time} Z`],
  ['with microseconds', `${date} ${time}.000000 +00:00`],
];

const message = 'must be a time with a time zone as in RFC 3339, such as 2026-01-31T12:00:00Z';

describe('a time in a body', () => {
  test.each(forms)('is accepted %s: %s', async (_, scheduled_at) => {
    const { status, body } = await app.api.call('PATCH', `/v1/posts/${postId}`, {
      scheduled_at,
      status: 'draft',
    });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data.scheduled_at).toBe(inAWeek.toISOString());
  });

  test.each(forms)('is accepted in GraphQL %s: %s', async (_, scheduledAt) => {
    const { updatePost } = await ask(
      app,
      `mutation ($id: ID!, $input: UpdatePostInput!) {
        updatePost(id: $id, input: $input) { scheduledAt }
      }`,
      { id: postId, input: { scheduledAt, status: 'DRAFT' } },
    );
    expect(updatePost).toEqual({ scheduledAt: inAWeek.toISOString() });
  });

  test.each([
    `${date}T${time}`,
    `${date} ${time}`,
    `${date} ${time.slice(0, 5)}`,
    `${date}T${time}0000`,
    `${date}T${time}+25:00`,
    `${date}  ${time}Z`,
    date,
  ])('is refused as %s, with an example', async (scheduled_at) => {
    const { status, body } = await app.api.call('PATCH', `/v1/posts/${postId}`, { scheduled_at });
    expect(status).toBe(422);
    expect(body.error.issues).toMatchObject([{ path: 'scheduled_at', message }]);
  });
});

describe('a time in a filter', () => {
  const count = async (filter: string, text: string) => {
    const { status, body } = await app.api.get(`/v1/posts?${filter}=${text}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return (body.data as unknown[]).length;
  };

  const written: [form: string, text: string][] = [
    ...forms.map(([form, text]): [string, string] => [form, encodeURIComponent(text)]),
    ['with a `+` that is not encoded', `${date}T${time}+00:00`],
    ['with a `+` that is not encoded, without a colon', `${date}T${time}+0000`],
    ['with spaces and a `+` that is not encoded', `${date}%20${time}%20+00:00`],
  ];

  test.each(written)('is accepted %s: %s', async (_, text) => {
    expect(await count('from', text)).toBe(0);
    expect(await count('to', text)).toBe(1);
  });

  test.each(forms)('is accepted in GraphQL %s: %s', async (_, to) => {
    const query = 'query ($to: DateTime) { posts(to: $to) { nodes { id } } }';
    expect(await ask(app, query, { to })).toEqual({ posts: { nodes: [{ id: postId }] } });
  });

  test('is compared with a time of another form', async () => {
    const from = encodeURIComponent(`${date} ${time} +00:00`);
    const { status, body } = await app.api.get(`/v1/posts?from=${from}&to=${date}T${time}Z`);
    expect(status).toBe(422);
    expect(body.error.issues).toMatchObject([{ path: 'from', code: 'not_before_to' }]);
  });

  test('is refused without a time zone in both APIs, with an example', async () => {
    const { body } = await app.api.get(`/v1/posts?from=${date}%20${time}`);
    expect(body.error.issues).toMatchObject([{ path: 'from', message }]);
    const refused = await askRefused(app, `{ posts(from: "${date} ${time}") { nodes { id } } }`);
    expect(refused).toMatchObject({ issues: [{ path: 'from', message }] });
  });
});
