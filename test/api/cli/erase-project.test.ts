// `projects erase`: what it deletes, and what it refuses before it has changed anything.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markerName } from '../../../activities/media/store/file.ts';
import { prepareMediaFolder } from '../../../activities/media/store/marker.ts';
import { eraseProject } from '../../../api/cli/erase-project.ts';
import { InvalidArgument } from '../../../api/cli/output/invalid-argument.ts';
import { createKey } from '../../../api/cli/tenants.ts';
import { Fanfare } from '../../../clients/typescript/src/index.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { noise } from '../../support/media/samples.ts';
import { addPost } from '../../support/rows/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  const folder = join(app.context.config.dataDirectory, 'media');
  rmSync(join(folder, markerName));
  await prepareMediaFolder(app.context.db, pathToFileURL(folder).href);
});
afterAll(() => app.stop());

async function upload(key: string) {
  const png = await noise(20, 20).png().toBuffer();
  const client = new Fanfare({ url: app.url, apiKey: key });
  return client.media.upload(new Blob([new Uint8Array(png)]), { filename: 'a.png' });
}

const countOf = async (
  table: 'posts' | 'events' | 'media' | 'api_keys' | 'social_accounts',
  project: string,
) => {
  const rows = app.context.db.selectFrom(table).select('id').where('project_id', '=', project);
  return (await rows.execute()).length;
};

async function countRevoked(project: string): Promise<number> {
  const rows = await app.context.db
    .selectFrom('api_keys')
    .select('id')
    .where('project_id', '=', project)
    .where('revoked_at', 'is not', null)
    .execute();
  return rows.length;
}

test('a project is erased with all that belongs to it, but not while accounts are connected', async () => {
  const { db, config } = app.context;
  const tenant = await app.createTenant('erased');
  const { projectId: project, api, key } = tenant;
  const { id } = await tenant.connectSandbox('ada');
  const media = await upload(key);
  const client = new Fanfare({ url: app.url, apiKey: key });
  const body = { caption: 'Erased', account_ids: [id] };
  await client.posts.create({ ...body, media_ids: [media.id] }, { wait: '20s' });
  const later = new Date(Date.now() + 86_400_000).toISOString();
  await client.posts.create({ ...body, caption: 'Later', scheduled_at: later });
  await client.posts.create({ ...body, caption: 'Some day', status: 'draft' });
  const erase = (yes: boolean) => eraseProject(db, config, { project, yes });
  await expect(erase(false)).rejects.toThrow('Add --yes');
  await expect(erase(true)).rejects.toThrow('1 connected account');
  expect((await api.get('/v1/posts')).status).toBe(200);
  expect(await countRevoked(project)).toBe(0);
  await client.accounts.disconnect(id);
  expect(await erase(true)).toEqual({
    text: 'Erased erased with 1 file.',
    data: { id: project, name: 'erased', media: 1 },
  });
  await expect(erase(true)).rejects.toThrow(InvalidArgument);
  for (const table of ['posts', 'events', 'media', 'api_keys', 'social_accounts'] as const) {
    expect(await countOf(table, project), table).toBe(0);
  }
  expect((await app.api.get('/v1/posts')).status, 'other projects stay').toBe(200);
});

test('a store that is not known, not reachable or of another database is refused before the keys are revoked', async () => {
  const { db, config } = app.context;
  const { projectId: project, key } = await app.createTenant('stored');
  await upload(key);
  const eraseAt = (url: string | undefined) => {
    const media = { ...config.media, url };
    return eraseProject(db, { media, dataDirectory: '/nowhere' }, { project, yes: true });
  };
  await expect(eraseAt(undefined)).rejects.toThrow('Set FANFARE_MEDIA_URL as for the server.');
  const bucket = 's3://media?region=x&endpoint=http://127.0.0.1:1&path_style=true';
  await expect(eraseAt(bucket)).rejects.toThrow();
  await expect(eraseAt('file:///nowhere/media')).rejects.toThrow('is not the one');
  expect(await countRevoked(project)).toBe(0);
  expect(await countOf('media', project)).toBe(1);
});

test('a project with a post in progress keeps its keys', async () => {
  const { db, config } = app.context;
  const { postId } = await addPost(db, { scheduledAt: new Date(Date.now() + 86_400_000) });
  const { project_id: project } = await db
    .updateTable('posts')
    .set({ status: 'pending' })
    .where('id', '=', postId)
    .returning('project_id')
    .executeTakeFirstOrThrow();
  await db
    .updateTable('social_accounts')
    .set({ status: 'disconnected' })
    .where('project_id', '=', project)
    .execute();
  await createKey(db, { project, name: 'kept', test: false });
  await expect(eraseProject(db, config, { project, yes: true })).rejects.toThrow(
    'The project has 1 post in progress. Wait until they have ended.',
  );
  expect(await countOf('api_keys', project)).toBe(1);
  expect(await countRevoked(project)).toBe(0);
  expect(await countOf('posts', project)).toBe(1);
});

test('an interrupted erasure is completed by a repeat', async () => {
  const { db, config } = app.context;
  const tenant = await app.createTenant('interrupted');
  const { projectId: project, key } = tenant;
  const { id } = await tenant.connectSandbox('ada');
  const client = new Fanfare({ url: app.url, apiKey: key });
  await client.posts.create({ caption: 'Gone', account_ids: [id], status: 'draft' });
  await client.accounts.disconnect(id);
  const erase = () => eraseProject(db, config, { project, yes: true });
  await sql`create rule interrupted as on delete to social_accounts do instead nothing`.execute(db);
  await expect(erase()).rejects.toThrow();
  await sql`drop rule interrupted on social_accounts`.execute(db);
  expect(await countOf('posts', project)).toBe(0);
  expect(await countOf('social_accounts', project)).toBe(1);
  expect((await erase()).text).toBe('Erased interrupted with 0 files.');
  expect(await countOf('social_accounts', project)).toBe(0);
});
