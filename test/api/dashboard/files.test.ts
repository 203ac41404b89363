// The dashboard's files: every page is the main file, the other files never change, and a new build replaces them all.
import { mkdtemp, mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFiles } from '../../../api/dashboard/files.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fanfare-dashboard-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function build(text: string, at: number): Promise<void> {
  await mkdir(join(folder, 'assets'), { recursive: true });
  await writeFile(join(folder, 'assets', `main-${text}.js`), `// ${text}`);
  await writeFile(join(folder, 'index.html'), text);
  await utimes(join(folder, 'index.html'), at, at);
}

test('every page is the main file, with a policy that allows no inline script or style', async () => {
  await build('one', 1);
  const respond = createFiles(`${folder}/`);
  for (const path of ['', 'posts', 'posts/post_1']) {
    const answer = await respond(path, undefined);
    expect(await answer!.text()).toBe('one');
    const policy = answer!.headers.get('Content-Security-Policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(answer!.headers.get('Cache-Control')).toBe('no-cache');
  }
});

test('a file is kept by browsers, and sent again only if it changed', async () => {
  await build('one', 1);
  const respond = createFiles(`${folder}/`);
  await respond('', undefined);
  const script = (await respond('assets/main-one.js', undefined))!;
  expect(script.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
  expect(script.headers.get('Cache-Control')).toContain('immutable');
  const again = await respond('assets/main-one.js', script.headers.get('ETag')!);
  expect(again!.status).toBe(304);
  expect(await respond('assets/other.js', undefined)).toBeUndefined();
  expect(await respond('../package.json', undefined)).toBeUndefined();
});

test('a page is shown again by itself while nothing is built, and a new build replaces the files', async () => {
  const respond = createFiles(`${folder}/`);
  const waiting = (await respond('', undefined))!;
  expect(waiting.status).toBe(503);
  expect(waiting.headers.get('Refresh')).toBe('2');
  await build('one', 1);
  expect(await (await respond('', undefined))!.text()).toBe('one');
  await build('two', 2);
  expect(await (await respond('', undefined))!.text()).toBe('two');
  expect((await respond('assets/main-two.js', undefined))!.status).toBe(200);
});
