// What docs/media.md says: its requests and its program, run as printed, and its tables. Also the requests
// of docs/graphql.md, which do the same.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mediaErrors, MediaStatus } from '../../schema/media.ts';
import { startApp, type TestApp } from '../support/app/app.ts';
import { createShell, type Shell } from '../support/app/shell.ts';
import {
  createProgramDirectory,
  readBlocks,
  readPage,
  readTable,
} from '../support/checks/readme.ts';
import { createMedia, pngOf } from '../support/media/uploads.ts';

let app: TestApp;
let shell: Shell;
let folder: string;

const programs = createProgramDirectory();
beforeAll(async () => {
  [app, shell] = [await startApp(), await createShell()];
  folder = await mkdtemp(join(tmpdir(), 'fanfare-docs-media-'));
});
afterAll(async () => {
  await app.stop();
  await shell[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  programs.remove();
});

const page = readPage('docs/media.md');
const requestsOf = (text: string) =>
  readBlocks(text).flatMap(({ language, text }) => (language === 'sh' ? [text] : []));

test('the requests upload a file and publish a post with it', async () => {
  const [create, put, publish] = requestsOf(page);
  const path = join(folder, 'spring.png');
  await writeFile(path, await pngOf(30, 20));
  const env = { URL: app.url, KEY: app.tenant.key };
  const { data: media } = JSON.parse(await shell.run(create!, env));
  const upload = put!.replace('spring.png', path);
  const { data: uploaded } = JSON.parse(
    await shell.run(upload, { ...env, UPLOAD_URL: media.upload_url }),
  );
  expect(uploaded).toMatchObject({ id: media.id, status: 'uploaded', width: 30 });
  const account = await app.tenant.connectSandbox('reader-of-media');
  const post = publish!.replace('sa_ADA', account.id).replace('med_SPRING', media.id);
  const { data } = JSON.parse(await shell.run(post, env));
  expect(data).toMatchObject({ status: 'pending', media: [{ id: media.id }] });
});

test('the requests in GraphQL upload a file and publish a post with it', async () => {
  const [create, put, publish] = requestsOf(readPage('docs/graphql.md'));
  const path = join(folder, 'graphql.png');
  await writeFile(path, await pngOf(30, 20));
  const env = { URL: app.url, KEY: app.tenant.key };
  const { createMedia: media } = JSON.parse(await shell.run(create!, env)).data;
  await shell.run(put!.replace('spring.png', path), { ...env, UPLOAD_URL: media.uploadUrl });
  const account = await app.tenant.connectSandbox('reader-of-graphql');
  const mutation = publish!.replace('sa_ADA', account.id).replace('med_SPRING', media.id);
  const { createPost: post } = JSON.parse(await shell.run(mutation, env)).data;
  expect(post).toMatchObject({ status: 'PENDING', media: [{ mediaId: media.id }] });
  expect((await app.tenant.waitForPost(post.id)).status).toBe('published');
});

test('the program sends a file in parts', async () => {
  const file = await pngOf(2_000, 1_600);
  expect(file.byteLength).toBeGreaterThan(8_388_608);
  const path = join(folder, 'large.png');
  await writeFile(path, file);
  const { id, upload_url } = await createMedia(app.api);
  const program = programs.extract('docs/media.md', 'upload.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [program, path, upload_url]);
  expect(JSON.parse(stdout)).toMatchObject({ status: 200, data: { id, status: 'uploaded' } });
  const row = await app.context.db
    .selectFrom('media')
    .select('sha256')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row.sha256).toBe(createHash('sha256').update(file).digest('hex'));
});

describe('the tables', () => {
  const firstCells = (head: string) => readTable(page, head).map(([cell]) => cell);

  test('list every status', () => {
    expect(firstCells('`status`')).toEqual(MediaStatus.options.map((name) => `\`${name}\``));
  });

  test('list every error', () => {
    const rows = Object.entries(mediaErrors).map(([code, text]) => [`\`${code}\``, text]);
    expect(readTable(page, '`error_code`')).toEqual(rows);
  });
});
