// Who made each change of a post: a key, a user or Fanfare itself.
import { expect, test, vi } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { createApi } from '../../support/app/api.ts';
import { ask, subscribeOverSocket, type Message } from '../../support/graphql/graphql.ts';

const app = useApp();
const patience = { timeout: 20_000, interval: 50 };
const system = { type: 'system', id: null, name: null };

const query = `subscription ($id: ID, $after: String) {
  postUpdated(id: $id, after: $after) { change actor { type actorId name } }
}`;

/** A key of the project with this name. */
async function createKey(name: string) {
  const { data } = (await app.api.post('/v1/api-keys', { name })).body;
  const actor = { type: 'key', id: data.id as string, name };
  return { id: data.id as string, actor, api: createApi(app.url, data.key) };
}

const inLive = ({ type, id, name }: { type: string; id: string | null; name: string | null }) => ({
  type: type.toUpperCase(),
  actorId: id,
  name,
});

/** Passes once each of these changes has arrived. */
function hasAll(...kinds: string[]) {
  const missing = new Set(kinds);
  return (message: Message) => {
    missing.delete(message.data.postUpdated.change);
    return missing.size === 0;
  };
}

test('a post names the key that created it, and each live change the key or the worker that made it', async () => {
  const { id: account } = await app.tenant.connectSandbox('ada');
  const [writer, editor] = [await createKey('Writer'), await createKey('Editor')];
  const draft = { caption: 'Hello', account_ids: [account], status: 'draft' };
  const created = await writer.api.post('/v1/posts', draft);
  const { id, created_by } = created.body.data;
  expect(created_by).toEqual(writer.actor);
  const { url } = app;
  await using live = subscribeOverSocket({
    url,
    key: app.tenant.key,
    query,
    variables: { id },
  });
  await live.waitFor(1);
  await editor.api.patch(`/v1/posts/${id}`, { caption: 'Hello again' });
  await editor.api.post(`/v1/posts/${id}/publish`);
  const messages = await live.until(hasAll('published'));
  const seen = messages.map(({ data }) => data.postUpdated as { change: string; actor: unknown });
  const actorsOf = (kind: string) =>
    seen.filter(({ change }) => change === kind).map((m) => m.actor);
  expect(actorsOf('present')).toEqual([null]);
  expect(actorsOf('updated')).toEqual([inLive(editor.actor)]);
  expect(actorsOf('submitted')).toEqual([inLive(editor.actor)]);
  expect(actorsOf('result.published')).toEqual([inLive(system)]);
  expect(actorsOf('published')).toEqual([inLive(system)]);
});

test('each change that a key makes of a post before it is published names the key', async () => {
  const { id: account } = await app.tenant.connectSandbox('eve');
  const { actor, api } = await createKey('Planner');
  const time = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const body = { caption: 'Hello', account_ids: [account], status: 'draft' };
  const { id } = (await api.post('/v1/posts', body)).body.data;
  const path = `/v1/posts/${id}`;
  await api.patch(path, { labels: ['a'] });
  await api.patch(path, { scheduled_at: time(1) });
  await api.patch(path, { scheduled_at: time(2) });
  await api.patch(path, { status: 'draft' });
  await api.post(`${path}/cancel`);
  await api.delete(path);
  const changes = await app.context.db
    .selectFrom('changes')
    .select(['kind', 'actor'])
    .where('subject_id', '=', id)
    .orderBy('id')
    .execute();
  const kinds = 'created updated scheduled rescheduled unscheduled canceled deleted'.split(' ');
  expect(changes).toEqual(kinds.map((kind) => ({ kind, actor })));
});

test('a retry names the key that requested it', async () => {
  const { id: account } = await app.tenant.connectSandbox('fay');
  const retrier = await createKey('Retrier');
  const created = await app.tenant.createPost({
    caption: 'Hello',
    platform_posts: [{ account_id: account, platform_options: { outcome: 'rejected' } }],
  });
  const { id, results } = await app.tenant.waitForPost(created.id);
  const path = `/v1/posts/${id}/results/${results[0]!.id}/retry`;
  expect((await retrier.api.post(path)).status).toBe(202);
  const { actor } = await app.context.db
    .selectFrom('changes')
    .select('actor')
    .where('subject_id', '=', id)
    .where('kind', '=', 'result.retried')
    .executeTakeFirstOrThrow();
  expect(actor).toEqual(retrier.actor);
});

test('a record keeps the name of a key that is gone, and a later name does not change it', async () => {
  const { id: account } = await app.tenant.connectSandbox('bob');
  const gone = await createKey('Contractor');
  const draft = { caption: 'Hello', account_ids: [account], status: 'draft' };
  const { id } = (await gone.api.post('/v1/posts', draft)).body.data;
  expect((await app.api.delete(`/v1/api-keys/${gone.id}`)).status).toBe(204);
  expect((await app.api.get(`/v1/posts/${id}`)).body.data.created_by).toEqual(gone.actor);
  const { post } = await ask(
    app,
    `query ($id: ID!) { post(id: $id) { createdBy { type actorId name } } }`,
    { id },
  );
  expect(post.createdBy).toEqual(inLive(gone.actor));
});

test('a change of a published target names the key that requested it, and its end is the work of Fanfare', async () => {
  const { id: account } = await app.tenant.connectSandbox('cleo');
  const remover = await createKey('Remover');
  const created = await app.tenant.createPost({ caption: 'Hello', account_ids: [account] });
  const { id, results } = await app.tenant.waitForPost(created.id);
  const { url } = app;
  const { key } = app.tenant;
  await using live = subscribeOverSocket({ url, key, query, variables: { id } });
  await live.waitFor(1);
  const path = `/v1/posts/${id}/results/${results[0]!.id}`;
  expect((await remover.api.post(`${path}/unpublish`)).status).toBe(202);
  const messages = await live.until(hasAll('result.unpublished'));
  const changes = messages.map(({ data }) => data.postUpdated);
  expect(changes).toEqual(
    expect.arrayContaining([
      { change: 'result.changing', actor: inLive(remover.actor) },
      { change: 'result.unpublished', actor: inLive(system) },
    ]),
  );
  const [change] = (await app.api.get(`/v1/posts/${id}`)).body.data.results[0].changes;
  expect(change).toMatchObject({ type: 'unpublish', status: 'succeeded', actor: remover.actor });
});

test('the end of a pending post that a key cancels is a change of the key', async () => {
  const { id: account } = await app.tenant.connectSandbox('dora');
  const canceler = await createKey('Canceler');
  const { id } = await app.tenant.createPost({
    caption: 'Hello',
    platform_posts: [{ account_id: account, platform_options: { outcome: 'unavailable' } }],
  });
  await vi.waitFor(async () => {
    const { results } = (await app.api.get(`/v1/posts/${id}`)).body.data;
    expect(results[0].waiting_for).toBe('network');
  }, patience);
  const { url } = app;
  const { key } = app.tenant;
  await using live = subscribeOverSocket({ url, key, query, variables: { id } });
  await live.waitFor(1);
  expect((await canceler.api.post(`/v1/posts/${id}/cancel`)).status).toBe(200);
  const messages = await live.until(hasAll('canceled', 'result.canceled'));
  const changes = messages.map(({ data }) => data.postUpdated);
  expect(changes).toEqual(
    expect.arrayContaining([
      { change: 'result.canceled', actor: inLive(canceler.actor) },
      { change: 'canceled', actor: inLive(canceler.actor) },
    ]),
  );
});
