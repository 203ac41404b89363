// The tools of the chaos run. A tool that does nothing would hide every failure.
import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { startProxy } from '../support/servers/proxy.ts';
import { startProxies } from './cluster/proxies.ts';

test('the clock shift moves the current time and leaves given times alone', () => {
  const preload = new URL('clock-shift.ts', import.meta.url).href;
  const script =
    'console.log(JSON.stringify([Date.now(), +new Date(), Date.parse(Date()), +new Date(5), new Date() instanceof Date]))';
  const output = execFileSync(process.execPath, ['--import', preload, '-e', script], {
    env: { ...process.env, CLOCK_SHIFT_MS: '3600000' },
    encoding: 'utf8',
  });
  const [now, fresh, asText, given, isDate] = JSON.parse(output) as number[];
  for (const time of [now, fresh, asText]) {
    expect(Math.abs(time! - Date.now() - 3_600_000)).toBeLessThan(30_000);
  }
  expect([given, isDate]).toEqual([5, true]);
});

test('the proxy swallows bytes without closing, and lets new connections pass again', async () => {
  const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const proxy = await startProxy({ port: (echo.address() as AddressInfo).port });
  const client = connect(proxy.port, '127.0.0.1');
  client.write('1');
  expect(String(await once(client, 'data'))).toBe('1');

  proxy.silence();
  const received: string[] = [];
  client.on('data', (bytes) => received.push(String(bytes)));
  client.write('2');
  proxy.restore();
  const fresh = connect(proxy.port, '127.0.0.1');
  // Each round trip takes as many turns as the 2 would have needed.
  for (const byte of ['3', '4', '5']) {
    fresh.write(byte);
    expect(String(await once(fresh, 'data'))).toBe(byte);
  }
  expect([received, client.destroyed]).toEqual([[], false]);

  fresh.destroy();
  await proxy.cut();
  echo.close();
});

/** A server whose address a restart may change. */
async function startEcho() {
  const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  return { port: (echo.address() as AddressInfo).port, restarts: new EventEmitter(), echo };
}

test('proxies in a process of their own pass bytes while the run is busy', async () => {
  const server = await startEcho();
  await using proxies = await startProxies([server]);
  const busy = new Int32Array(new SharedArrayBuffer(4));
  // The thread has an echo server of its own, since this one can't answer meanwhile.
  const thread = new Worker(
    `const { workerData: { busy, port }, parentPort } = require('node:worker_threads');
    const { connect, createServer } = require('node:net');
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1', () =>
      parentPort.postMessage(echo.address().port));
    parentPort.once('message', () => {
      const client = connect(port, '127.0.0.1', () => client.write('1'));
      client.once('data', () => { Atomics.store(busy, 0, 1); Atomics.notify(busy, 0); });
    });`,
    { eval: true, workerData: { busy, port: proxies.all[0]!.port } },
  );
  const [port] = (await once(thread, 'message')) as [number];
  server.port = port;
  server.restarts.emit('restart');
  await proxies.all[0]!.restore();
  thread.postMessage('go', []);
  expect(Atomics.wait(busy, 0, 0, 10_000)).toBe('ok');
  await thread.terminate();
  server.echo.close();
});

test('proxies in a process of their own can be silenced one by one, and end with the process', async () => {
  const server = await startEcho();
  const proxies = await startProxies([server, server]);
  const [silent, other] = proxies.all;
  const clients = proxies.all.map(({ port }) => connect(port, '127.0.0.1'));
  const received: string[] = [];
  clients.forEach((client, i) =>
    client.on('data', (bytes) => received.push(`${i} ${String(bytes)}`)),
  );
  await silent!.silence();
  for (const client of clients) client.write('a');
  await expect.poll(() => received).toEqual(['1 a']);

  await silent!.restore();
  const fresh = connect(silent!.port, '127.0.0.1');
  fresh.write('b');
  expect(String(await once(fresh, 'data'))).toBe('b');
  expect(received).toEqual(['1 a']);
  expect(silent!.urlOf('postgres://a@h:1/d')).toBe(`postgres://a@h:${silent!.port}/d`);

  const ends = [...clients, fresh].map((client) => {
    client.on('error', () => undefined);
    return new Promise((resolve) => client.once('close', resolve));
  });
  await proxies[Symbol.asyncDispose]();
  await Promise.all(ends);
  await expect(other!.silence()).rejects.toThrow('have ended');
  server.echo.close();
});
