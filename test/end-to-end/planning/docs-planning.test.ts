// What the page about planning says: its requests, run as printed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TimeAdjustment } from '../../../schema/wire/local-time.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { createShell, type Shell } from '../../support/app/shell.ts';
import { readBlocks, readPage, readTable } from '../../support/checks/readme.ts';
import { ask } from '../../support/graphql/graphql.ts';

let app: TestApp;
let shell: Shell;
let accountId: string;

beforeAll(async () => {
  [app, shell] = [await startApp({ roles: { api: true, worker: false } }), await createShell()];
  accountId = (await app.tenant.connectSandbox('ada')).id;
});
afterAll(async () => {
  await app?.stop();
  await shell?.[Symbol.asyncDispose]();
});

/** The text below a heading of the second level. */
function sectionOf(title: string): string {
  const section = readPage('docs/planning.md')
    .split(/^## /m)
    .find((text) => text.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`docs/planning.md has no section ${title}.`);
  return section;
}

/** The requests of a section, in their order. */
const requestsOf = (title: string) =>
  readBlocks(sectionOf(title)).flatMap(({ language, text }) => (language === 'sh' ? [text] : []));

/** `given`: what a reader writes instead of words in the command. */
async function run(command: string, given: Record<string, string> = {}) {
  const names = Object.entries({ sa_ADA: accountId, ...given });
  const filled = names.reduce((text, [name, value]) => text.replaceAll(name, value), command);
  return JSON.parse(await shell.run(filled, { URL: app.url, KEY: app.tenant.key }));
}

describe('the section about finding posts', () => {
  const blocks = readBlocks(sectionOf('Find posts'));
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split('\n\n'));
  const find = (text: string) => commands.find((command) => command.includes(text))!;

  test('has requests that work', async () => {
    const { data: draft } = await run(find('"labels"'));
    expect(draft.labels).toEqual(['spring', 'release notes']);
    for (const command of commands) {
      const answer = await run(command);
      expect(answer.error, command).toBeUndefined();
    }
    const found = await run(find('metadata[campaign]'));
    expect(found.data).toHaveLength(2);
    expect((await run(find('/v1/labels'))).data).toEqual([
      { name: 'release notes', post_count: 2 },
      { name: 'spring', post_count: 2 },
    ]);
    const total = { value: 0, is_capped: false };
    expect((await run(find('total_count'))).meta.total_count).toEqual(total);
    expect((await run(find('api-keys/current'))).data.project.id).toBe(app.tenant.projectId);
  });

  test('has a document that works', async () => {
    const [document] = blocks.filter(({ language }) => language === 'graphql');
    const answer = await ask(app, document!.text);
    expect(answer.labels.nodes).toHaveLength(2);
    expect(answer.posts.totalCount).toEqual({ value: 0, isCapped: false });
  });
});

test('the requests on drafts create one, complete it and copy it', async () => {
  const [create, complete, copy] = requestsOf('Drafts');
  const { data: draft, warnings } = await run(create!);
  expect(draft).toMatchObject({ status: 'draft', caption: '', results: [] });
  expect(warnings).toMatchObject([{ code: 'no_targets' }]);
  const completed = await run(complete!, { post_DRAFT: draft.id });
  expect(completed).toMatchObject({
    data: { id: draft.id, status: 'draft', results: [{ social_account_id: accountId }] },
    warnings: [],
  });
  const copied = await run(copy!, { post_ADA: draft.id });
  expect(copied).toMatchObject({ data: { status: 'draft', caption: 'Spring is here' } });
  expect(copied.data.id).not.toBe(draft.id);
});

test('the request with a local time schedules a post', async () => {
  const [request] = requestsOf('Local times');
  // Readers give a time that is still ahead.
  const local = `${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)}T09:00`;
  const { data } = await run(request!, { '2026-12-01T09:00': local });
  expect(data).toMatchObject({
    status: 'scheduled',
    schedule: { local, timezone: 'Europe/Berlin' },
  });
});

test('the table of adjustments has all of them', () => {
  expect(readTable(sectionOf('Local times'), '`adjusted`').map(([word]) => word)).toEqual(
    TimeAdjustment.options.map((word) => `\`${word}\``),
  );
});
