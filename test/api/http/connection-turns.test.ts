// Projects share the connections of the database: the requests of one leave some for those of another.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { asProject } from '../../../activities/current-project.ts';
import { createConnectionTurns } from '../../../api/http/connection-turns.ts';
import { useApp } from '../../support/app/app.ts';

const connections = 4;
const app = useApp({
  roles: { api: true, worker: false },
  env: { FANFARE_DATABASE_CONNECTIONS: String(connections) },
});

test.each([
  ['REST', (id: string) => app.api.patch(`/v1/webhooks/${id}`, { name: 'new' })],
  [
    'GraphQL',
    (id: string) =>
      app.api.graphql(
        'mutation ($id: ID!) { updateWebhook(id: $id, input: { name: "new" }) { webhook { id } } }',
        { id },
      ),
  ],
])('requests over %s that wait for a lock leave connections for others', async (_, change) => {
  const other = await app.createTenant();
  const { id } = await app.tenant.createWebhook('https://example.com/a');
  const release = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holder = app.context.db.transaction().execute(async (trx) => {
    await sql`select from webhook_subscriptions where id = ${id} for update`.execute(trx);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const waiting = Array.from({ length: 12 }, () => change(id));
  await expect.poll(() => app.context.pool().total).toBe(connections);
  expect((await other.api.get('/v1/webhooks')).status).toBe(200);
  expect(app.context.pool().waiting).toBe(0);
  release.resolve();
  await holder;
  const answers = await Promise.all(waiting);
  expect(answers.map(({ status }) => status)).toEqual(waiting.map(() => 200));
});

test('a request that gets no connection in time is refused as rate_limited', async () => {
  const inTurn = createConnectionTurns(1, 20);
  const end = Promise.withResolvers<void>();
  const first = asProject('prj_a', () => inTurn(() => end.promise));
  const second = asProject('prj_a', () => inTurn(() => Promise.resolve()));
  await expect(second).rejects.toMatchObject({ code: 'rate_limited' });
  await inTurn(() => Promise.resolve());
  end.resolve();
  await first;
});
