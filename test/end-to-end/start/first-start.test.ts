// The first start of the program, with the commands that it prints, and its end.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../support/app/api.ts';
import { removeDataDirectory, startProgram, type Program } from '../../support/app/program.ts';
import { createShell, type Shell } from '../../support/app/shell.ts';
import { createBundledDirectory } from '../../support/servers/bundled-directory.ts';

const dataDirectory = createBundledDirectory();

let program: Program;
let api: Api;
let shell: Shell;

beforeAll(async () => {
  shell = await createShell();
  program = startProgram({ dataDirectory });
  api = await program.waitForReady();
}, 180_000);

afterAll(async () => {
  await program.stop();
  await removeDataDirectory(dataDirectory);
  await shell[Symbol.asyncDispose]();
});

async function runPrinted(number: 1 | 2 | 3) {
  const command = new RegExp(`# ${number}\\. [^\\n]*\\n([^\\n]+)\\n`).exec(program.output())?.[1];
  if (!command) throw new Error(`No command ${number} in:\n${program.output()}`);
  return JSON.parse(await shell.run(command));
}

describe('the first start', () => {
  test('prints each step, and stores the key readable by its user alone', () => {
    const output = program.output();
    expect(output).toMatch(/Created the project "My app" \(prj_\w+\) and its first API key\./);
    expect(output).toMatch(/Connected the sandbox account @ada/);
    expect(output).toMatch(/Connected the sandbox account @bob/);
    expect(statSync(join(dataDirectory, 'api-key')).mode & 0o777).toBe(0o600);
  });

  test('prints three commands that work as printed', async () => {
    const webhook = await runPrinted(1);
    expect(webhook.data).toMatchObject({ status: 'active', secret: expect.any(String) });
    const post = await runPrinted(2);
    expect(post.data).toMatchObject({ status: 'pending', results: [{}, {}] });
    await expect
      .poll(async () => JSON.stringify(await runPrinted(3)), { timeout: 20_000, interval: 250 })
      .toContain('post.partial');
    const inbox = await runPrinted(3);
    const received = JSON.parse(inbox.data[0].body);
    expect(received).toMatchObject({ event: 'post.partial', data: { id: post.data.id } });
  });

  test('shows a page whose links work', async () => {
    const page = await fetch(api.url);
    const links = [...(await page.text()).matchAll(/href="(http[^"]+)"/g)].map(([, url]) => url!);
    expect(links.length).toBeGreaterThanOrEqual(6);
    for (const link of links) {
      const answer = await fetch(link, { headers: { accept: 'text/html' } });
      expect(`${link} ${answer.status}`).toBe(`${link} 200`);
      // No page loads anything from the internet.
      if (link.startsWith(api.url)) {
        expect(await answer.text()).not.toMatch(/<(script|link)[^>]*(src|href)="https:/);
      }
    }
  });

  test('ends in order at Ctrl-C', async () => {
    expect(await program.interrupt()).toEqual({ code: 0, signal: null });
  });
});
