// Temporal as docker-compose.yml runs it: the production server on Postgres, built from its Go module.
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { parse } from 'yaml';
import type { StopPlan } from '../../../api/embedded/process-table.ts';
import { spawnServer, stopLeftRunning } from '../../../api/embedded/server-process.ts';
import { findFreePorts } from '../../../api/server/ports.ts';
import { runAsAdmin } from '../app/admin.ts';
import { buildGoPrograms } from './go-programs.ts';
import { registerNamespace } from './temporal.ts';

const { version, environment, dynamicConfig } = readComposeFile();
const packages = ['server', 'tools/sql'].map(
  (name) => `go.temporal.io/server/cmd/${name}@${version}`,
);
const databases = { temporal: 'temporal', temporal_visibility: 'visibility' };
const startTimeoutMs = 120_000;
const stopPlan: StopPlan = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 5_000],
];

export interface ProductionTemporal {
  readonly pid: number;
  readonly address: string;
  stop(): Promise<void>;
}

export interface ProductionTemporalOptions {
  /** The folder for its configuration, log and record. */
  dataDirectory: string;
  /** URL of a superuser. Temporal gets two databases of its own on this server. */
  databaseUrl: string;
  /** Ports of an earlier start of the server. Default: free ports. */
  ports?: ProductionPorts | undefined;
}

export type ProductionPorts = Record<string, number>;

/**
 * Whether a run uses the production server instead of the development server. `npm run test:production` sets
 * that.
 */
export const usesProductionTemporal = process.env['TEST_TEMPORAL'] === 'production';

/** Builds the programs, which takes minutes if they are not in the cache. Rejects where Go is missing. */
export function buildProductionTemporal(): Promise<string> {
  return buildGoPrograms(`temporal-production-${version}`, packages);
}

const services = ['FRONTEND', 'HISTORY', 'MATCHING', 'WORKER'];
const portNames = [
  ...services.flatMap((service) => [`${service}_GRPC_PORT`, `${service}_MEMBERSHIP_PORT`]),
  'FRONTEND_HTTP_PORT',
];

/** Stops a server that a killed run left in this folder. */
export async function stopProductionTemporalIn(
  dataDirectory: string,
  progress: (line: string) => void,
): Promise<void> {
  const command = / --allow-no-auth start /;
  await stopLeftRunning('temporal', dataDirectory, command, stopPlan, progress);
}

/** Temporal's tables on Postgres store a port as a signed 16-bit number. */
const maxPort = 32_767;

export async function findProductionPorts(): Promise<ProductionPorts> {
  for (;;) {
    const ports = await findFreePorts(portNames.map(() => randomInt(10_000, maxPort + 1)));
    if (ports.some((port) => port > maxPort)) continue;
    return Object.fromEntries(portNames.map((name, index) => [name, ports[index]!]));
  }
}

/** Resolves once the namespace `default` can be used. */
export async function startProductionTemporal({
  dataDirectory,
  databaseUrl,
  ports,
}: ProductionTemporalOptions): Promise<ProductionTemporal> {
  const programs = await buildProductionTemporal();
  await setUpDatabases(join(programs, 'sql'), databaseUrl);
  ports ??= await findProductionPorts();
  const configPath = join(dataDirectory, 'temporal-dynamic.yaml');
  mkdirSync(dataDirectory, { recursive: true });
  writeFileSync(configPath, dynamicConfig);
  const { hostname, port, username, password } = new URL(databaseUrl);
  const server = spawnServer({
    name: 'Temporal',
    dataDirectory,
    executable: join(programs, 'server'),
    args: ['--allow-no-auth', 'start'],
    workingDirectory: dataDirectory,
    ports: { port: ports['FRONTEND_GRPC_PORT']! },
    env: {
      ...environment,
      DB_PORT: port || '5432',
      POSTGRES_SEEDS: hostname,
      POSTGRES_USER: decodeURIComponent(username),
      POSTGRES_PWD: decodeURIComponent(password),
      BIND_ON_IP: '127.0.0.1',
      TEMPORAL_BROADCAST_ADDRESS: '127.0.0.1',
      DYNAMIC_CONFIG_FILE_PATH: configPath,
      ...Object.fromEntries(Object.entries(ports).map(([name, value]) => [name, String(value)])),
    },
    stopPlan,
  });
  const address = `127.0.0.1:${ports['FRONTEND_GRPC_PORT']}`;
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    try {
      await useDefaultNamespace(address);
      return { pid: server.pid, address, stop: () => server.stop() };
    } catch (error) {
      if (server.ended === undefined && Date.now() < deadline) {
        await sleep(200);
        continue;
      }
      await server.stop();
      throw new Error(`Temporal did not start:\n${server.output()}`, { cause: error });
    }
  }
}

/** Each step may be repeated, because it keeps what exists already. */
async function setUpDatabases(tool: string, databaseUrl: string): Promise<void> {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const server = ['--plugin', 'postgres12', '--ep', hostname, '-p', port || '5432'];
  const env = {
    SQL_USER: decodeURIComponent(username),
    SQL_PASSWORD: decodeURIComponent(password),
  };
  for (const [database, schema] of Object.entries(databases)) {
    for (const step of [
      ['create'],
      ['setup-schema', '-v', '0.0'],
      ['update-schema', '--schema-name', `postgresql/v12/${schema}`],
    ]) {
      await promisify(execFile)(tool, [...server, '--db', database, ...step], { env });
    }
  }
}

/** Call it only after the server has ended. */
export async function dropProductionDatabases(databaseUrl: string): Promise<void> {
  for (const database of Object.keys(databases)) {
    await runAsAdmin(databaseUrl, `drop database ${database} with (force)`);
  }
}

async function useDefaultNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000 });
  try {
    const { namespaces } = await connection.workflowService.listNamespaces({});
    const isThere = namespaces?.some(({ namespaceInfo }) => namespaceInfo?.name === 'default');
    if (!isThere) await registerNamespace(connection, 'default');
  } finally {
    await connection.close();
  }
}

interface ComposeFile {
  services: { temporal: { image: string; environment: Record<string, string | number> } };
  configs: { 'temporal-dynamic': { content: string } };
}

/** Reads the service `temporal`: its version, its variables, and its dynamic configuration. */
function readComposeFile() {
  const path = new URL('../../../docker-compose.yml', import.meta.url);
  const { services, configs } = parse(readFileSync(path, 'utf8'), { merge: true }) as ComposeFile;
  const variables = Object.entries(services.temporal.environment);
  return {
    version: `v${/:-(.+)\}$/.exec(services.temporal.image)![1]}`,
    environment: Object.fromEntries(variables.map(([name, value]) => [name, String(value)])),
    dynamicConfig: configs['temporal-dynamic'].content,
  };
}
