// The tools of the chaos run. A tool that does nothing would hide every failure.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startProxy } from '../support/servers/proxy.ts';

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
  fresh.write('3');
  expect(String(await once(fresh, 'data'))).toBe('3');
  await sleep(50);
  expect([received, client.destroyed]).toEqual([[], false]);

  fresh.destroy();
  await proxy.cut();
  echo.close();
});
