// A migration of the next version adds columns while this version works. Connections keep prepared statements, and each
// must still run.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { makeOneOfEach } from '../../support/app/one-of-each.ts';
import { createTestLog } from '../../support/log.ts';
import { createMedia, pngOf, putBytes } from '../../support/media/uploads.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';

const { log, lines } = createTestLog();
let app: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  // So few that each connection has run each statement.
  app = await startApp({ env: { FANFARE_DATABASE_CONNECTIONS: '3' }, log });
  receiver = await startReceiver();
});
afterAll(async () => {
  await app.stop();
  await receiver.close();
});

/** Posts alone and together, with media, repeated, changed and canceled. */
async function useMuch(): Promise<void> {
  const { tenant, ids } = await makeOneOfEach(app, receiver.url);
  const { api } = tenant;
  const account_ids = [ids['Account']!];
  const { id: mediaId, upload_url } = await createMedia(api);
  expect((await putBytes(upload_url, await pngOf(100, 100))).status).toBe(200);
  const posts = [1, 2, 3].map((n) => ({ caption: `${n}`, account_ids, media: [{ id: mediaId }] }));
  const bulk = await api.post('/v1/posts/bulk', { posts });
  expect(bulk.status, bulk.text).toBe(200);
  for (const { post } of bulk.body.data) {
    expect(await tenant.waitForPost(post.id)).toMatchObject({ status: 'published' });
  }
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
  const headers = { 'Idempotency-Key': 'again' };
  for (const replayed of [null, 'true']) {
    const later = { caption: 'later', account_ids, scheduled_at };
    const answer = await api.post('/v1/posts', later, { headers });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.headers.get('idempotency-replayed')).toBe(replayed);
  }
  const { data } = (await api.get('/v1/posts?status=scheduled')).body;
  const path = `/v1/posts/${data[0].id}`;
  expect((await api.patch(path, { caption: 'changed' })).status).toBe(200);
  expect((await api.post(`${path}/cancel`)).status).toBe(200);
}

test('every prepared statement runs after its tables have new columns', async () => {
  await useMuch();
  const { db } = app.database;
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(db);
  expect(tables.length).toBeGreaterThan(30);
  for (const { name } of tables) {
    await sql`alter table ${sql.table(name)} add column added text not null default ''`.execute(db);
  }
  await useMuch();
  expect(lines).toEqual([]);
}, 60_000);
