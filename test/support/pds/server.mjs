// A PDS and the PLC directory that it needs, on loopback; lives until its standard input closes.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [installation, dataDirectory, jwtSecret] = process.argv.slice(2);

// When the test run is gone, even by `kill -9`, the standard input closes.
process.stdin.on('end', end).on('error', end).resume();

function end() {
  rmSync(dataDirectory, { recursive: true, force: true });
  process.exit(0);
}

/**
 * The documents of OAuth clients are at https addresses. `port-<n>.home.arpa` stands for this port on
 * loopback. A PDS refuses the names that RFC 2606 reserves, but accepts this name, which RFC 8375 reserves.
 */
const clientHost = /^https:\/\/port-(\d+)\.home\.arpa\//;
const fetchAnywhere = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const address = input instanceof Request ? input.url : String(input);
  const [host, port] = clientHost.exec(address) ?? [];
  if (host === undefined) return fetchAnywhere(input, init);
  const { headers, signal } = new Request(input, init);
  const url = address.replace(host, `http://127.0.0.1:${port}/`);
  return fetchAnywhere(url, { headers, signal });
};

const { resolve } = createRequire(join(installation, 'package.json'));
const load = (name) => import(pathToFileURL(resolve(name)).href);
const [{ PDS, envToCfg, envToSecrets }, plcServer] = await Promise.all([
  load('@atproto/pds'),
  load('@did-plc/server'),
]);

/** Listens before the application exists, because the application must know its own port. */
async function listen() {
  // The server keeps idle connections longer than any client does. Otherwise, on a busy machine, a request
  // could arrive just as its connection closes.
  const server = createServer({ keepAliveTimeout: 60_000 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: server.address().port };
}

const { Database, PlcServer } = plcServer.default;
const plc = await listen();
plc.server.on('request', PlcServer.create({ db: Database.mock(), port: plc.port }).app);

const { server, port } = await listen();
const settings = {
  port,
  hostname: 'localhost',
  devMode: true,
  // The PLC directory is on loopback.
  disableSsrfProtection: true,
  dataDirectory,
  blobstoreDiskLocation: join(dataDirectory, 'blobs'),
  // By name, since a PDS resolves no identity at an IP address.
  didPlcUrl: `http://localhost:${plc.port}`,
  serviceHandleDomains: ['.test'],
  enableDidDocWithSession: true,
  inviteRequired: false,
  crawlers: [],
  jwtSecret,
  adminPassword: randomBytes(16).toString('hex'),
  plcRotationKeyK256PrivateKeyHex: randomBytes(32).toString('hex'),
};
const pds = await PDS.create(envToCfg(settings), envToSecrets(settings));
await pds.ctx.sequencer.start();
server.on('request', pds.app);

const plcUrl = `http://127.0.0.1:${plc.port}`;
// The accounts' DID documents name the PDS by this URL.
console.log(JSON.stringify({ url: `http://localhost:${port}`, plcUrl }));
