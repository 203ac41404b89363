// The receivers and watchers of the docs, run as printed: what they take, refuse, drop and show.
import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findFreePorts } from '../../api/server/ports.ts';
import type { WebhookWithSecret } from '../../schema/webhooks.ts';
import { startApp, type TestApp } from '../support/app/app.ts';
import { createProgramDirectory, readBlocks, readPage } from '../support/checks/readme.ts';
import { elapse } from '../support/elapse.ts';

const webhooks = readPage('docs/webhooks.md');
const { extract, remove } = createProgramDirectory();
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(async () => {
  await app.stop();
  remove();
});

const newSecret = 'whsec_bmV3';

describe.each([
  { language: 'Node', command: process.execPath, file: 'receiver.mjs' },
  { language: 'Python', command: 'python3', file: 'receiver.py' },
])('the receiver for $language', ({ command, file }) => {
  let url: string;
  let webhook: WebhookWithSecret;
  let child: ChildProcess;
  let output = '';

  beforeAll(async () => {
    const [port] = await findFreePorts([0]);
    url = `http://127.0.0.1:${port}/`;
    webhook = await app.tenant.createWebhook(url);
    child = spawn(command, [extract('docs/webhooks.md', file)], {
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        WEBHOOK_SECRET: `${newSecret},${webhook.secret}`,
        PORT: String(port),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    await until(() => isListening(port!), 'it listens');
  });

  afterAll(async () => {
    if (child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  });

  async function until(isDone: () => boolean | Promise<boolean>, what: string): Promise<void> {
    await vi.waitUntil(isDone, { timeout: 15_000, interval: 20 }).catch((cause: unknown) => {
      throw new Error(`Not within 15 s: ${what}. Output:\n${output}`, { cause });
    });
  }

  const body = JSON.stringify({
    event: 'post.published',
    timestamp: '2026-01-31T12:00:00.000Z',
    data: { caption: 'Grüße, 世界 🎉' },
  });
  const sign = (text: string, secret: string) =>
    `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

  async function send(signature: string | undefined, delivery: string, text = body) {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-service-delivery': delivery,
        ...(signature === undefined ? {} : { 'x-service-signature': signature }),
      },
      body: text,
    });
    await response.arrayBuffer();
    return response.status;
  }

  test('accepts a real event', async () => {
    const account = await app.tenant.connectSandbox(`reader-${file}`);
    await app.tenant.createPost({ caption: 'Grüße, 世界 🎉', account_ids: [account.id] });
    await until(() => /post\.published dlv_\w+/.test(output), 'it says what came');
    const read = () => app.api.get(`/v1/webhooks/${webhook.id}/deliveries?event=post.published`);
    await until(async () => (await read()).body.data[0]?.status === 'delivered', 'recorded');
    expect((await read()).body.data[0]).toMatchObject({ attempt_count: 1, last_status_code: 204 });
  });

  test('handles one delivery once, however often it comes', async () => {
    const signature = sign(body, webhook.secret);
    const statuses = [await send(signature, 'dlv_1'), await send(signature, 'dlv_1')];
    await send(signature, 'dlv_2');
    await until(() => output.includes('dlv_2'), 'it says what came');
    expect(statuses).toEqual([204, 204]);
    expect(output.match(/dlv_1\b/g)).toHaveLength(1);
  });

  test('accepts a request that the second of two secrets signed', async () => {
    expect(await send(sign(body, newSecret), 'dlv_rotated')).toBe(204);
  });

  test('answers 401 to a forged request, and survives a request that breaks off', async () => {
    const genuine = sign(body, webhook.secret);
    const forged: (string | undefined)[] = [
      undefined,
      '',
      'sha256=',
      genuine.slice('sha256='.length),
      genuine.slice(0, -1),
      `${genuine}0`,
      sign(body, 'whsec_another'),
      sign(`${body} `, webhook.secret),
      `sha256=${'é'.repeat(64)}`,
    ];
    const statuses = [];
    for (const signature of forged) statuses.push(await send(signature, 'dlv_forged'));
    statuses.push(await send(genuine, 'dlv_forged', body.replace('published', 'failed')));
    expect(statuses).toEqual(Array.from({ length: forged.length + 1 }, () => 401));
    await breakOff(Number(new URL(url).port));
    expect(await send(genuine, 'dlv_3')).toBe(204);
    await until(() => output.includes('dlv_3'), 'it says what came');
    expect(output).not.toContain('dlv_forged');
  });
});

describe('the program that watches', () => {
  test('shows what happens to deliveries', async () => {
    const webhook = await app.tenant.createWebhook(`${app.url}/sandbox/inbox/watched`);
    const child = spawn(process.execPath, [extract('docs/quickstart.md', 'watch.mjs')], {
      env: { URL: app.url, KEY: app.tenant.key },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    try {
      // It says nothing when it has subscribed, so something happens until it has seen it.
      await expect
        .poll(
          async () => {
            await app.api.post(`/v1/webhooks/${webhook.id}/test`, { event: 'post.failed' });
            return output;
          },
          { timeout: 15_000, interval: 200 },
        )
        .toMatch(/deliveryId: 'dlv_\w+',\s+delivery: \{ event: 'POST_FAILED'/);
    } finally {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
  });
});

describe('the receiver of the README', () => {
  test('shows a real event, and refuses a forged event', async () => {
    const [port] = await findFreePorts([0]);
    const url = `http://127.0.0.1:${port}/`;
    const webhook = await app.tenant.createWebhook(url);
    const child = spawn(process.execPath, [extract('README.md', 'hook.mjs')], {
      env: { WEBHOOK_SECRET: webhook.secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    try {
      await expect.poll(() => isListening(port!), { timeout: 15_000 }).toBe(true);
      const forged = await fetch(url, { method: 'POST', body: '{}' });
      expect(forged.status).toBe(401);
      const account = await app.tenant.connectSandbox('reader-hook');
      const { id } = await app.tenant.createPost({ caption: 'hook', account_ids: [account.id] });
      await expect.poll(() => output, { timeout: 15_000 }).toContain(`post.published ${id}`);
    } finally {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
  });
});

describe.each(['README.md', 'docs/quickstart.md'])('the stream of %s', (page) => {
  test('shows each step of a post', async () => {
    const request = readBlocks(readPage(page)).find(({ text }) => text.includes('curl -sN'))!.text;
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${app.tenant.key}`,
        'Content-Type': 'application/json',
        Accept: 'text/event-stream',
      },
      body: / -d '([^']*)'/.exec(request)![1]!,
    });
    const account = await app.tenant.connectSandbox('reader-stream');
    const { id } = await app.tenant.createPost({ caption: 'stream', account_ids: [account.id] });
    let received = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      received += chunk;
      if (received.includes(id) && received.includes('"status":"PUBLISHED"')) break;
    }
    expect(received).toContain(id);
  });
});

describe('the requests that register a webhook', () => {
  test('work as printed, over both APIs', async () => {
    const body = /\/v1\/webhooks -H [^']*'[^']*' \\\n {2}-d '([^']*)'/.exec(webhooks)![1]!;
    const rest = await app.api.post('/v1/webhooks', JSON.parse(body));
    expect(rest).toMatchObject({ status: 201, body: { data: { name: 'orders' } } });
    const query = readBlocks(webhooks).find(({ language }) => language === 'graphql')!.text;
    const { body: answer } = await app.api.post('/graphql', { query });
    expect(answer.data.createWebhook).toEqual({
      secret: expect.stringMatching(/^whsec_/),
      webhook: {
        id: expect.any(String),
        status: 'ACTIVE',
        events: ['POST_PUBLISHED', 'POST_FAILED'],
      },
    });
  });
});

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** A request whose body does not come to its end. */
async function breakOff(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{');
  await elapse(50, 'the program does not say when it has begun to read');
  socket.resetAndDestroy();
}
