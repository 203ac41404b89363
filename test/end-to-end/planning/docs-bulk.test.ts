// What the page about planning says about bulk requests: its requests and its file, run as printed.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { createShell, type Shell } from '../../support/app/shell.ts';
import { readBlocks, readPage, readTable } from '../../support/checks/readme.ts';
import { postsAsCsv } from '../../../api/posts/bulk/csv-posts.ts';

let app: TestApp;
let shell: Shell;
let folder: string;
let accountId: string;

beforeAll(async () => {
  [app, shell] = [await startApp({ roles: { api: true, worker: false } }), await createShell()];
  folder = await mkdtemp(join(tmpdir(), 'fanfare-docs-bulk-'));
  accountId = (await app.tenant.connectSandbox('ada')).id;
});
afterAll(async () => {
  await app.stop();
  await shell[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const section = readPage('docs/planning.md').split('\n## Bulk\n')[1]!;
const blocks = readBlocks(section);
const commands = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.split('\n\n'));
const find = (text: string) => commands.find((command) => command.includes(text))!;
const statusesOf = ({ data }: { data: { status: number }[] }) => data.map(({ status }) => status);

function run(command: string, ids: string[] = []): Promise<string> {
  const filled = command
    .replaceAll('sa_ADA', accountId)
    .replaceAll('post_ONE', ids[0] ?? '')
    .replaceAll('post_TWO', ids[1] ?? '')
    .replace('@posts.csv', `@${join(folder, 'posts.csv')}`)
    .replace('export.csv', join(folder, 'export.csv'));
  return shell.run(filled, { URL: app.url, KEY: app.tenant.key });
}

test('the requests create, update, cancel and delete posts', async () => {
  const created = JSON.parse(await run(find('import-7')));
  expect(statusesOf(created)).toEqual([201, 201]);
  const ids = created.data.map(({ post }: { post: { id: string } }) => post.id);
  for (const [path, status] of [
    ['/bulk/update', 200],
    ['/bulk/cancel', 200],
    ['/bulk/delete', 204],
  ] as const) {
    expect(statusesOf(JSON.parse(await run(find(path), ids)))).toEqual([status, status]);
  }
  expect(JSON.parse(await run(find('import-7')))).toMatchObject({ data: created.data });
});

test('the file is checked, imported and exported', async () => {
  const { text } = blocks.find(({ language }) => language === 'csv')!;
  const ahead = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const file = text.replaceAll('sa_ADA', accountId).replace('2026-12-24T18:00:00+01:00', ahead);
  await writeFile(join(folder, 'posts.csv'), file);
  expect(statusesOf(JSON.parse(await run(find('dry_run=true'))))).toEqual([202, 201]);
  const imported = JSON.parse(await run(commands.findLast((each) => each.includes('@posts.csv'))!));
  expect(imported.data).toMatchObject([
    { status: 202, post: { labels: ['spring', 'news'], metadata: { campaign: 'launch' } } },
    { status: 201, post: { caption: 'Thank you, all of you.', scheduled_at: ahead } },
  ]);
  await app.tenant.createPost({ caption: '=1', account_ids: [accountId], status: 'draft' });
  await run(find('posts.csv?'));
  const exported = await readFile(join(folder, 'export.csv'), 'utf8');
  expect(exported.split('\r\n')).toHaveLength(3);
  expect(exported).toContain(",'=1,");
});

test('the table names every column', () => {
  const named = readTable(section, 'Column').flatMap(([names]) =>
    names!.split(', ').map((name) => name.replaceAll('`', '')),
  );
  expect(named.toSorted()).toEqual([...postsAsCsv.columns].toSorted());
});
