// Resolving names while other names get no answer, with a real name server.
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, vi, type TestContext } from 'vitest';
import { createDns } from '../../../activities/egress/dns.ts';
import {
  startNameServer,
  type NameServer,
  type NameServerOptions,
} from '../../support/servers/name-server.ts';

const loopback = [{ address: '127.0.0.1', family: 4 }];

async function start(
  onTestFinished: TestContext['onTestFinished'],
  options: NameServerOptions = {},
) {
  const server = await startNameServer(options);
  onTestFinished(() => server.close());
  const { addresses, texts } = createDns({ servers: [server.address] });
  return { server, resolve: addresses, texts };
}

const codeOf = (error: NodeJS.ErrnoException) => error.code;
const distinct = (names: readonly string[]) => [...new Set(names)];

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const startedAt = performance.now();
  const value = await work;
  return { value, ms: performance.now() - startedAt };
}

/** Begins lookups that get no answer. Resolves once the server was asked for so many names. */
async function flood({ asked }: NameServer, lookups: Promise<unknown>[], count: number) {
  let ended = 0;
  for (const lookup of lookups) lookup.catch(() => ended++);
  await vi.waitUntil(() => distinct(asked).length >= count, { timeout: 10_000, interval: 5 });
  // Later ones follow when these have timed out.
  const silent = distinct(asked).filter((name) => name.includes('silent'));
  return { countEnded: () => ended, silent };
}

describe.concurrent('createDns', () => {
  test('finds the addresses of a name, and distinguishes a missing name from a name without an answer', async ({
    expect,
    onTestFinished,
  }) => {
    const { resolve } = await start(onTestFinished);
    expect(await resolve('a.known.test', 'prj_1')).toEqual(loopback);
    expect(await resolve('A.known.test.', 'prj_1')).toEqual(loopback);
    await expect(resolve('nobody.test', 'prj_1')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const silent = await timed(resolve('silent.test', 'prj_1').catch(codeOf));
    expect(silent.value).toBe('EAI_AGAIN');
    expect(silent.ms).toBeLessThan(4_500);
  });

  test('queries each time, except for a name that recently got no answer', async ({
    expect,
    onTestFinished,
  }) => {
    const { server, resolve } = await start(onTestFinished);
    await resolve('a.known.test', 'prj_1');
    const once = server.asked.length;
    await resolve('a.known.test', 'prj_1');
    // A query that a busy machine answers late is repeated.
    expect(server.asked.length).toBeGreaterThan(once);
    await resolve('silent.test', 'prj_1').catch(codeOf);
    const before = server.asked.length;
    expect(await resolve('silent.test', 'prj_2').catch(codeOf)).toBe('EAI_AGAIN');
    expect(server.asked).toHaveLength(before);
  });

  test('serves one project at once while another one waits for 500 names of many silent domains', async ({
    expect,
    onTestFinished,
  }) => {
    const { server, resolve } = await start(onTestFinished);
    const { countEnded, silent } = await flood(
      server,
      Array.from({ length: 500 }, (_, i) => resolve(`silent-${i}.test`, 'prj_flood')),
      20,
    );
    expect(silent).toHaveLength(20);
    expect(await resolve('a.known.test', 'prj_other')).toEqual(loopback);
    expect(countEnded()).toBe(0);
  });

  test('counts TXT lookups like address lookups', async ({ expect, onTestFinished }) => {
    const { server, resolve, texts } = await start(onTestFinished);
    const { silent } = await flood(
      server,
      Array.from({ length: 100 }, (_, i) => texts(`silent-${i}.test`, 'prj_1')),
      20,
    );
    expect(silent).toHaveLength(20);
    expect(await resolve('a.known.test', 'prj_2')).toEqual(loopback);
  });

  test('serves all projects at once while many projects wait for names of one silent domain', async ({
    expect,
    onTestFinished,
  }) => {
    const { server, resolve } = await start(onTestFinished);
    const { countEnded, silent } = await flood(
      server,
      Array.from({ length: 500 }, (_, i) => resolve(`silent-${i}.silent.co.uk`, `prj_${i % 50}`)),
      10,
    );
    expect(silent).toHaveLength(10);
    expect(await resolve('a.known.test', 'prj_1')).toEqual(loopback);
    expect(countEnded()).toBe(0);
    // Shares their public suffix, but not their domain.
    expect(await resolve('nobody.co.uk', 'prj_1').catch(codeOf)).toBe('ENOTFOUND');
  });

  test('serves a domain at once while a flood of another project for the same domain waits', async ({
    expect,
    onTestFinished,
  }) => {
    const { server, resolve } = await start(onTestFinished);
    const silent = Array.from({ length: 100 }, (_, i) => `silent-${i}.test`);
    const shared = Array.from({ length: 20 }, (_, i) => `flood-${i}.known.test`);
    const { countEnded } = await flood(
      server,
      [...silent, ...shared].map((name) => resolve(name, 'prj_flood')),
      20,
    );
    expect(await resolve('a.known.test', 'prj_other')).toEqual(loopback);
    expect(countEnded()).toBe(0);
  });

  test('serves a domain at once while the same project waits for names of a silent domain', async ({
    expect,
    onTestFinished,
  }) => {
    const { server, resolve } = await start(onTestFinished);
    const { countEnded } = await flood(
      server,
      Array.from({ length: 100 }, (_, i) => resolve(`${i}.silent.test`, 'prj_1')),
      10,
    );
    expect(await resolve('a.known.test', 'prj_1')).toEqual(loopback);
    expect(countEnded()).toBe(0);
  });

  test('rejects lookups that cannot begin in time', async ({ expect, onTestFinished }) => {
    const { server, resolve } = await start(onTestFinished);
    const lookups = Array.from({ length: 200 }, (_, i) =>
      resolve(`silent-${i}.test`, 'prj_1').catch(codeOf),
    );
    const { value, ms } = await timed(Promise.all(lookups));
    expect(new Set(value)).toEqual(new Set(['EAI_AGAIN']));
    expect(ms).toBeLessThan(8_500);
    expect(distinct(server.asked).length).toBeLessThan(100);
  }, 15_000);

  test('uses the address of one family when the other family gets no answer', async ({
    expect,
    onTestFinished,
  }) => {
    let questions = 0;
    const { resolve } = await start(onTestFinished, {
      answer: () => (questions++ === 0 ? ['127.0.0.1'] : 'silent'),
    });
    expect(await resolve('half.test', 'prj_1')).toEqual(loopback);
  });

  test('reads the current hosts file, and resolves localhost without a query', async ({
    expect,
    onTestFinished,
  }) => {
    const { server } = await start(onTestFinished);
    const directory = mkdtempSync(join(tmpdir(), 'fanfare-hosts-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const hostsPath = join(directory, 'hosts');
    const resolve = createDns({ servers: [server.address], hostsPath }).addresses;
    expect(await resolve('a.localhost', 'prj_1')).toEqual([
      ...loopback,
      { address: '::1', family: 6 },
    ]);
    writeFileSync(hostsPath, '# none\n10.0.0.5\tInner inner.test # here\n::5 inner\nbad x\n');
    expect(await resolve('inner', 'prj_1')).toEqual([
      { address: '10.0.0.5', family: 4 },
      { address: '::5', family: 6 },
    ]);
    writeFileSync(hostsPath, '10.0.0.6 inner.test\r\n');
    utimesSync(hostsPath, 1, 1);
    expect(await resolve('inner.test', 'prj_1')).toEqual([{ address: '10.0.0.6', family: 4 }]);
    expect(server.asked).toEqual([]);
  });
});
