// The first post at an installed Fanfare, by everything that can make one: the SDKs, an agent and the command line.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'vitest';
import type { Api } from '../app/api.ts';
import { readBlocks, readPage } from '../checks/readme.ts';
import { installTypeScriptClient, preparePython } from '../clients/packages.ts';
import { connectMcp, toMcpClient } from '../mcp/client.ts';
import { userEnvironment } from './install.ts';

const run = promisify(execFile);

/** A first program of docs/sdks.md, which has six statements at most. */
function readProgram(file: string): string {
  const { text } = readBlocks(readPage('docs/sdks.md')).find(
    ({ text }) => text.split(/\s/)[1] === file,
  )!;
  const lines = text.split('\n').slice(1);
  expect(lines.filter((line) => line.trim() !== '').length, file).toBeLessThanOrEqual(6);
  return text;
}

/** Runs the first program of each SDK, with the package of the SDK. */
export async function publishBySdks(api: Api): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-first-'));
  const access = { FANFARE_URL: api.url, FANFARE_API_KEY: api.key };
  try {
    const printed = await Promise.all([runTypeScript(folder, access), runPython(folder, access)]);
    for (const text of printed.filter((each) => each !== undefined))
      expect(text).toMatch(/^published http/);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runTypeScript(folder: string, access: Record<string, string>): Promise<string> {
  const { project } = await installTypeScriptClient(folder);
  writeFileSync(join(project, 'publish.mjs'), readProgram('publish.mjs'));
  const env = { PATH: process.env['PATH'], ...access };
  return (await run(process.execPath, ['publish.mjs'], { cwd: project, env })).stdout;
}

/** Undefined without pip or its packages. `npm run test:clients` reports that. */
async function runPython(
  folder: string,
  access: Record<string, string>,
): Promise<string | undefined> {
  const python = await preparePython().catch((error: Error) => {
    console.error(error.message);
    return undefined;
  });
  if (python === undefined) return undefined;
  const program = join(folder, 'publish.py');
  writeFileSync(program, readProgram('publish.py'));
  const PYTHONPATH = await python.installClient(folder);
  return python.run([program], { home: folder, env: { ...access, PYTHONPATH } });
}

/** An agent drafts a post, validates and publishes it, reads its failure and retries it. */
export async function publishByMcp({ url, key }: Api, command: string): Promise<void> {
  await using agent = await connectMcp(url, key);
  const [account] = await agent.get('list_accounts', { platform: 'sandbox' });
  const options = { outcome: 'rejected', times: 1 };
  const post = {
    caption: 'From an agent',
    platform_posts: [{ account_id: account.id, platform_options: options }],
  };
  expect(await agent.get('validate_post', post)).toMatchObject({ valid: true });
  const { id: post_id } = await agent.get('create_draft', post);
  await agent.get('publish_post', { post_id });
  const failed = await agent.get('wait_for_post', { post_id });
  expect(failed).toMatchObject({ status: 'failed', results: [{ error_code: 'rejected' }] });
  await agent.get('retry_result', { post_id, result_id: failed.results[0].id });
  expect(await agent.get('wait_for_post', { post_id })).toMatchObject({ status: 'published' });

  const local = new Client({ name: 'test', version: '1.0.0' });
  const env = { PATH: userEnvironment()['PATH']!, FANFARE_URL: url, FANFARE_API_KEY: key };
  await local.connect(new StdioClientTransport({ command, args: ['mcp'], env }));
  await using other = toMcpClient(local);
  expect(await other.get('get_post', { post_id })).toMatchObject({ status: 'published' });
}

/** `folder`: the one in which `start` runs. */
export async function publishByCli({ url }: Api, command: string, folder: string): Promise<void> {
  // The key is the one in the data directory.
  const { port } = new URL(url);
  const env = { PATH: userEnvironment()['PATH'], FANFARE_PORT: port };
  const words = ['post', 'From the command line', '--to', 'sandbox:@ada', '--yes', '--json'];
  const { stdout } = await run(command, words, { cwd: folder, env });
  expect(JSON.parse(stdout)).toMatchObject({ status: 'published' });
  const examined = await run(command, ['doctor', '--json'], { cwd: folder, env });
  const findings = JSON.parse(examined.stdout) as { name: string; status: string }[];
  expect(findings.map(({ name }) => name)).toContain('Vault');
  expect(findings.filter(({ status }) => status === 'failed')).toEqual([]);
  const usage = await run(command, ['--help'], { cwd: folder, env });
  expect(usage.stdout).toContain('Usage: npx fanfare <command>');
}
