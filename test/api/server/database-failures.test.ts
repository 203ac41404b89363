// Postgres that answers but can't write: both APIs answer `unavailable`, and roll back everything.
import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { disconnectAll, setReadOnly } from '../../support/rows/database.ts';
import { askRefused, subscribeOverSocket } from '../../support/graphql/graphql.ts';

let accountId: string;

const app = useApp({
  roles: { api: true, worker: false },
  env: { FANFARE_DATABASE_TIMEOUT_MS: '4000', FANFARE_LOG_LEVEL: 'silent' },
});
beforeAll(async () => {
  accountId = (await app.tenant.connectSandbox('ada')).id;
  // The last table that an accepted post writes, so that the others have their rows.
  await sql`create function fails() returns trigger language plpgsql as $$ begin
    if (select caption from posts where id = new.subject_id) ~ '^[0-9A-Z]{5}$' then
      raise 'failed' using errcode = (select caption from posts where id = new.subject_id);
    end if;
    return new;
  end $$`.execute(app.context.db);
  await sql`create trigger fails before insert on changes for each row
    when (new.subject = 'post') execute function fails()`.execute(app.context.db);
});

/** Postgres aborts the transaction with the caption as SQLSTATE. */
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
  ])('%s (%s) is 500', async (_, state) => {
    expect(await createPost(state)).toMatchObject({ status: 500 });
  });

  test('rolls back every row, and frees the Idempotency-Key', async () => {
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

  test('allows reads, and answers writes and streams with unavailable until it can write', async () => {
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
    // The first post may still have been under way.
    const isAfter = ({ data }: { data: { postUpdated: { post: { caption: string } } } }) =>
      data.postUpdated.post.caption === 'after';
    await resumed.until(isAfter);
  });
});
