// The commands on projects: list, rename, export and erase.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eraseProject } from '../../../api/cli/erase-project.ts';
import { exportProject } from '../../../api/cli/client/export.ts';
import { InvalidArgument } from '../../../api/cli/invalid-argument.ts';
import { renameProject, showProjects } from '../../../api/cli/tenants.ts';
import { Fanfare } from '../../../clients/typescript/src/index.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { noise } from '../../support/media/samples.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('projects are listed and renamed', async () => {
  const { db } = app.context;
  const { projectId: project } = app.tenant;
  expect((await showProjects(db)).text).toContain(project);
  await expect(
    renameProject(db, { project: 'prj_gone', name: 'New', test: false }),
  ).rejects.toThrow('No project has the ID prj_gone.');
  expect((await renameProject(db, { project, name: 'New', test: false })).text).toContain('to New');
  expect((await showProjects(db)).data).toContainEqual({
    id: project,
    name: 'New',
    created_at: expect.any(Date),
  });
});

test('a project is exported without its secrets', async () => {
  const { key, connectSandbox, createPost, createWebhook } = await app.createTenant('exported');
  const { id } = await connectSandbox('ada');
  const post = await createPost({ caption: 'Exported', status: 'draft', account_ids: [id] });
  const { secret } = await createWebhook('https://example.com/hook');
  const lines: string[] = [];
  const client = new Fanfare({ url: app.url, apiKey: key });
  await exportProject(client, {
    print: (line) => lines.push(line),
    note: () => undefined,
    ask: undefined,
    isScreen: false,
    signal: new AbortController().signal,
  });
  const found = lines.map((line) => JSON.parse(line) as { type: string; data: { id?: string } });
  expect(found[0]).toMatchObject({ type: 'project', data: { name: 'exported' } });
  expect(found).toContainEqual({ type: 'post', data: expect.objectContaining({ id: post.id }) });
  expect(found).toContainEqual({ type: 'account', data: expect.objectContaining({ id }) });
  expect(found.map(({ type }) => type)).toContain('event');
  expect(lines.join()).not.toContain(secret);
  expect(lines.join()).not.toContain(key);
});

test('a project is erased with all that belongs to it, but not while accounts are connected', async () => {
  const { db, config } = app.context;
  const tenant = await app.createTenant('erased');
  const { projectId: project, api, key } = tenant;
  const { id } = await tenant.connectSandbox('ada');
  const png = await noise(20, 20).png().toBuffer();
  const client = new Fanfare({ url: app.url, apiKey: key });
  const media = await client.media.upload(new Blob([new Uint8Array(png)]), { filename: 'a.png' });
  const body = { caption: 'Erased', account_ids: [id], media_ids: [media.id] };
  await client.posts.create(body, { wait: '20s' });
  const erase = (yes: boolean) => eraseProject(db, config, { project, yes });
  await expect(erase(false)).rejects.toThrow('Add --yes');
  await expect(erase(true)).rejects.toThrow('1 connected account');
  expect((await api.get('/v1/posts')).status).toBe(200);
  await client.accounts.disconnect(id);
  expect(await erase(true)).toEqual({
    text: 'Erased erased with 1 file.',
    data: { id: project, name: 'erased', media: 1 },
  });
  await expect(erase(true)).rejects.toThrow(InvalidArgument);
  const tables = ['posts', 'events', 'media', 'api_keys', 'social_accounts'] as const;
  for (const table of tables) {
    const rows = await db
      .selectFrom(table)
      .select('id')
      .where('project_id', '=', project)
      .execute();
    expect(rows, table).toEqual([]);
  }
  expect((await app.api.get('/v1/posts')).status, 'other projects stay').toBe(200);
});
