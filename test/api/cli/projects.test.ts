// The commands on projects: list, rename and export.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportProject } from '../../../api/cli/client/export.ts';
import { renameProject, showProjects } from '../../../api/cli/tenants.ts';
import { Fanfare } from '../../../clients/typescript/src/index.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { terminalOf } from '../../support/clients/terminal.ts';

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
  await exportProject(client, terminalOf({ print: (line) => lines.push(line) }));
  const found = lines.map((line) => JSON.parse(line) as { type: string; data: { id?: string } });
  expect(found[0]).toMatchObject({ type: 'project', data: { name: 'exported' } });
  expect(found).toContainEqual({ type: 'post', data: expect.objectContaining({ id: post.id }) });
  expect(found).toContainEqual({ type: 'account', data: expect.objectContaining({ id }) });
  expect(found.map(({ type }) => type)).toContain('event');
  expect(lines.join()).not.toContain(secret);
  expect(lines.join()).not.toContain(key);
});
