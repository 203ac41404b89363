// Connections to Temporal ignore a proxy in the environment.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { startTemporal } from '../../../api/embedded/temporal.ts';
import { connectNative, createTemporalClient } from '../../../api/server/temporal-connection.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { installQuietRuntime } from '../../support/servers/quiet-runtime.ts';
import { findTemporal } from '../../support/servers/servers.ts';

const names = ['grpc_proxy', 'http_proxy', 'https_proxy', 'all_proxy'];
const variables = [...names, ...names.map((name) => name.toUpperCase())];
const unproxied = ['no_grpc_proxy', 'no_proxy', 'NO_PROXY'];
const before = { ...process.env };
const target = { address: inject('temporalAddress'), config: readConfig({}) };
let proxy: Server;
let tunnels: string[] = [];

/** Its tunnels work, so that a connection through it succeeds. */
beforeAll(async () => {
  proxy = createServer().on('connect', ({ url = '' }, socket) => {
    tunnels.push(url);
    const { hostname, port } = new URL(`http://${url}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    for (const end of [socket, upstream]) end.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  for (const name of variables) process.env[name] = url;
  for (const name of unproxied) delete process.env[name];
});

beforeEach(() => {
  tunnels = [];
});

afterAll(() => {
  for (const name of [...variables, ...unproxied]) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  proxy.closeAllConnections();
  proxy.close();
});

test("the API's client uses no proxy", async () => {
  const { connection } = await createTemporalClient(target);
  await connection.workflowService.getSystemInfo({});
  await connection.close();
  expect(tunnels).toEqual([]);
});

test("the worker's connection uses no proxy", async () => {
  installQuietRuntime();
  const connection = await connectNative(target);
  await connection.workflowService.getSystemInfo({});
  await connection.close();
  expect(tunnels).toEqual([]);
});

test('the start of the embedded server uses no proxy', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fanfare-proxy-'));
  const server = await startTemporal({
    dataDirectory: directory,
    executable: await findTemporal(),
    progress: () => undefined,
    headless: true,
    inMemory: true,
  });
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
  expect(tunnels).toEqual([]);
});
