// Postgres that answers but can't write: every API says `unavailable`, and nothing is half written.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { disconnectAll, setReadOnly } from '../../support/rows/database.ts';
import { askRefused, subscribeOverSocket } from '../../support/graphql/graphql.ts';

let app: TestApp;
let accountId: string;

beforeAll(async () => {
  app = await startApp({
    roles: { api: true, worker: false },
    env: { FANFARE_DATABASE_TIMEOUT_MS: '1000', FANFARE_LOG_LEVEL: 'silent' },
  });
  accountId = (await app.tenant.connectSandbox('ada')).id;
  // The last table that an accepted post writes: by then the others have their rows.
  await sql`create function fails() returns trigger language plpgsql as $$ begin
    if (select caption from posts where id = new.subject_id) ~ '^[0-9A-Z]{5}$' then
      raise 'failed' using errcode = (select caption from posts where id = new.subject_id);
    end if;
    return new;
  end $$`.execute(app.context.db);
  await sql`create trigger fails before insert on changes for each row
    when (new.subject = 'post') execute function fails()`.execute(app.context.db);
});
afterAll(() => app.stop());

/** Postgres fails its transaction with the caption as SQLSTATE. */
const createPost = (caption: string, headers: Record<string, string> = {}) =>
  app.api.post('/v1/posts', { caption, account_ids: [accountId] }, { headers });

async function countRows() {
  const { rows } = await sql`select
    (select count(*)::int from posts) as posts,
    (select count(*)::int from post_results) as results,
    (select count(*)::int from outbox) as outbox,
    (select count(*)::int from idempotency_keys) as keys`.execute(app.context.db);
  return rows[0];
}

const unavailable = { status: 503, body: { error: { code: 'unavailable', is_retriable: true } } };

describe('a failure of Postgres', () => {
  test.each([
    ['disk_full', '53100'],
    ['out_of_memory', '53200'],
    ['too_many_connections', '53300'],
    ['read_only_sql_transaction', '25006'],
    ['io_error', '58030'],
    ['query_canceled', '57014'],
    ['cannot_connect_now', '57P03'],
    ['object_not_in_prerequisite_state', '55000'],
    ['transaction_timeout', '25P04'],
  ])('%s (%s) is 503 with Retry-After', async (_, state) => {
    const answer = await createPost(state);
    expect(answer).toMatchObject(unavailable);
    expect(answer.headers.get('Retry-After')).toBe('2');
  });

  test.each([
    ['check_violation', '23514'],
    ['undefined_table', '42P01'],
    ['internal_error', 'XX000'],
  ])('%s (%s) is a fault of ours', async (_, state) => {
    expect(await createPost(state)).toMatchObject({ status: 500 });
  });

  test('leaves nothing half written, and its Idempotency-Key free', async () => {
    const before = await countRows();
    const headers = { 'Idempotency-Key': 'disk-full' };
    expect(await createPost('53100', headers)).toMatchObject(unavailable);
    expect(await countRows()).toEqual(before);
    expect(await createPost('there is room', headers)).toMatchObject({ status: 202 });
  });

  test('is the same in GraphQL', async () => {
    const refused = await askRefused(
      app,
      `mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }`,
      { input: { caption: '53100', accountIds: [accountId] } },
    );
    expect(refused).toMatchObject({ code: 'unavailable', isRetriable: true });
  });
});

describe('a read-only database', () => {
  const switchTo = async (value: 'on' | 'off') => {
    await setReadOnly(app.database, value);
    await disconnectAll(app.database);
  };
  afterEach(() => switchTo('off'));

  test('answers reads, refuses writes and ends streams as unavailable, until it can write', async () => {
    const { key } = app.tenant;
    const query = 'subscription { postUpdated { cursor post { caption } } }';
    await using stream = subscribeOverSocket({ url: app.url, key, query });
    await createPost('before');
    await stream.waitFor(1);

    await switchTo('on');
    await expect.poll(() => app.api.get('/v1/posts')).toMatchObject({ status: 200 });
    expect(await createPost('read-only')).toMatchObject(unavailable);
    const broken = await stream.until(({ errors }) => errors !== undefined);
    expect(broken.at(-1).errors).toMatchObject([{ extensions: { code: 'unavailable' } }]);

    await switchTo('off');
    await expect.poll(() => createPost('after')).toMatchObject({ status: 202 });
    const { cursor } = broken.at(-1).errors[0].extensions;
    await using resumed = subscribeOverSocket({
      url: app.url,
      key,
      query: query.replace('postUpdated', `postUpdated(after: "${cursor}")`),
    });
    const [next] = await resumed.waitFor(1);
    expect(next.data.postUpdated.post).toEqual({ caption: 'after' });
  });
});
