// The one program: `node api/cli.ts <command>`.
import { parseArgs } from 'node:util';
import { ConfigError, readConfig, type Config } from '../schema/config/config.ts';
import { Environment } from '../schema/config/environment.ts';
import { connectDatabase } from '../schema/database/connect.ts';
import type { Db } from '../schema/database/tables.ts';
import { findRunningDatabase } from './embedded/running-database.ts';
import { listen } from './cli/listen/listen.ts';
import { readListenOptions, type ListenWords } from './cli/listen/options.ts';
import { pause, showPauses } from './cli/pause.ts';
import { RefusedArgument } from './cli/refused-argument.ts';
import { restored } from './cli/restored.ts';
import { resume } from './cli/resume.ts';
import { readMinutes, showStuck } from './cli/stuck.ts';
import type { Running } from './cli/start.ts';
import { createKey, createProject } from './cli/tenants.ts';

type Setting = string | number | boolean | string[] | number[];

/** The variables, each with its sentence and what it is when it isn't set. */
function settings(): string {
  const defaults: Record<string, Setting | undefined> = Environment.parse({});
  return Object.entries(Environment.shape)
    .map(([name, type]) => {
      const fallback = defaults[name];
      const note = fallback === undefined ? '' : ` Default: ${String(fallback)}.`;
      return `  ${name}\n      ${type.meta()?.description ?? ''}${note}`;
    })
    .join('\n');
}

const usage = () => `Usage: npx node api/cli.ts <command>

  start                         everything in one process, with embedded Postgres and Temporal
                                where DATABASE_URL and TEMPORAL_ADDRESS name none
  api                           the HTTP server only
  worker                        the workflows, the relay and the sweeper only
  migrate                       bring the database to the present tables
  projects create --name NAME   make a project and print its first key, once
  keys create --project ID --name NAME [--scopes A,B] [--test] [--expires-at TIME]
                                make a key and print it, once
  pause SCOPE                   hold what is sent: to a network, of a project by its id, or all
                                webhook deliveries by the word \`deliveries\`
  resume SCOPE                  let it go on
  pauses                        list what is paused
  restored                      after the database was restored from a backup: check each post at its
                                network before it is sent
  stuck [--minutes N]           list posts without progress, and deliveries due, for N minutes
  listen --forward-to URL       forward events as they are recorded to a server of yours, as signed
                                webhook requests
    --no-forward                only print them
    --events A,B                only events of these kinds
    --test                      the test events instead of the real ones
    --secret SECRET             sign with this one; default: a new one, printed at the start
    --after CURSOR              begin with what came after it; default: from now on
    --cursor-file PATH          keep the last cursor there, and begin with what came after it
    --url URL --key KEY         which Fanfare, and as whom; default: this machine's, with
                                FANFARE_API_KEY or the key in the data directory

Every setting is an environment variable:

${settings()}`;

const print = (line: string) => console.log(line);

async function main(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args: joinNumbers(args),
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      project: { type: 'string' },
      scopes: { type: 'string' },
      test: { type: 'boolean', default: false },
      'expires-at': { type: 'string' },
      minutes: { type: 'string' },
      'forward-to': { type: 'string' },
      'no-forward': { type: 'boolean', default: false },
      events: { type: 'string' },
      secret: { type: 'string' },
      after: { type: 'string' },
      'cursor-file': { type: 'string' },
      url: { type: 'string' },
      key: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return print(usage());
  const [first, ...rest] = positionals;
  const scope = rest.join(' ');
  const command = first === 'pause' || first === 'resume' ? first : positionals.join(' ');
  switch (command) {
    case 'start':
      return run(startConfig(), async (config, signal) => {
        const { startAllInOne } = await loadProgram();
        return startAllInOne(config, { print, fail: exitWith, signal });
      });
    case 'api':
      return runRole('api');
    case 'worker':
      return runRole('worker');
    case 'migrate': {
      const url = requireDatabaseUrl();
      const ran = await (await loadProgram()).migrateDatabase(url);
      return print(ran.length > 0 ? `Migrated: ${ran.join(', ')}.` : 'Nothing to migrate.');
    }
    case 'projects create':
      return withDatabase(async (db) => print(await createProject(db, values)));
    case 'keys create':
      return withDatabase(async (db) => print(await createKey(db, values)));
    case 'pause':
      return withDatabase(async (db) => print(await pause(db, scope)));
    case 'resume':
      return withDatabase(async (db) => print(await resume(db, scope)));
    case 'pauses':
      return withDatabase(async (db) => print(await showPauses(db)));
    case 'restored':
      return withDatabase(async (db) => print(await restored(db)));
    case 'stuck': {
      const minutes = readMinutes(values.minutes);
      return withDatabase(async (db) => print(await showStuck(db, minutes)));
    }
    case 'listen':
      return listenUntilSignal(values);
    default:
      if (command === '') console.error(usage());
      throw new UsageError(command ? `There is no command \`${command}\`.` : 'Name a command.');
  }
}

/** With Temporal's SDK it takes longer to load than all else: the other commands do without. */
const loadProgram = () => import('./cli/start.ts');

function runRole(role: 'api' | 'worker'): Promise<void> {
  const roles = { api: role === 'api', worker: role === 'worker' };
  return run(readConfig(process.env, role), async (config) =>
    (await loadProgram()).startRole(config, roles),
  );
}

/** `--minutes -1` as `--minutes=-1`: a number below zero is a value, since no option is a digit. */
function joinNumbers(args: string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const option = joined.at(-1);
    if (/^-\d/.test(arg) && option?.startsWith('--')) joined.splice(-1, 1, `${option}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

class UsageError extends Error {}

/** Without a database of its own the program is on a developer's machine: its loopback is let through. */
function startConfig(): Config {
  const env = process.env;
  if (env['DATABASE_URL'] || env['FANFARE_ALLOW_PRIVATE_CIDRS'] !== undefined)
    return readConfig(env);
  print('Webhooks may reach this machine (FANFARE_ALLOW_PRIVATE_CIDRS=127.0.0.0/8,::1/128).');
  return readConfig({ ...env, FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8,::1/128' });
}

/** npm passes on a Ctrl-C that the terminal has sent to us too. */
const sameSignalMs = 500;

/** Runs until a signal; a second signal ends the process at once. */
async function run(
  config: Config,
  start: (config: Config, signal: AbortSignal) => Promise<Running>,
): Promise<void> {
  const stopping = new AbortController();
  const signaled = new Promise<void>((resolve) => {
    let firstAt: number | undefined;
    const stop = () => {
      if (firstAt !== undefined) {
        if (performance.now() - firstAt > sameSignalMs) process.exit(1);
        return;
      }
      firstAt = performance.now();
      print('Stopping.');
      stopping.abort(new Stopped());
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
  try {
    const running = await start(config, stopping.signal);
    await signaled;
    await running.stop();
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
  process.exit(0);
}

/** It needs none of the backends: a developer's machine may have a DATABASE_URL of another program. */
async function listenUntilSignal(words: ListenWords): Promise<void> {
  const ours = Object.entries(process.env).filter(([name]) => name.startsWith('FANFARE_'));
  const options = await readListenOptions(words, readConfig(Object.fromEntries(ours)));
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stopping.abort());
  const warn = (line: string) => console.error(line);
  await listen(options, { print, warn, stream: process.stdout }, stopping.signal);
  process.exit(0);
}

/** The reason of a start that was broken off by a signal. */
class Stopped extends Error {}

function requireDatabaseUrl(): string {
  const { databaseUrl } = readConfig(process.env, 'operator');
  if (databaseUrl === undefined) throw new Error('This command needs DATABASE_URL.');
  return databaseUrl;
}

/** The configured database, or the embedded one of a running `start`. */
async function withDatabase(work: (db: Db) => Promise<void>): Promise<void> {
  const config = readConfig(process.env, 'operator');
  const url = config.databaseUrl ?? (await findRunningDatabase(config.dataDirectory));
  if (url === undefined) {
    throw new Error('This command needs DATABASE_URL, or a running `start` on the data directory.');
  }
  const connection = connectDatabase({ url, maxConnections: 2, applicationName: 'fanfare cli' });
  try {
    await work(connection.db);
  } finally {
    await connection.close();
  }
}

function exitWith(reason: string): void {
  console.error(reason);
  process.exit(1);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const isUsage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  if (error instanceof ConfigError || isUsage) {
    // Node goes on about how to give a word that begins with a hyphen.
    console.error((error as Error).message.replace(/ To specify a positional .*$/s, ''));
    if (isUsage) console.error('`--help` lists all commands, options and settings.');
  } else {
    console.error(error instanceof Error ? error.message : error);
    if (error instanceof Error && error.cause) console.error(error.cause);
  }
  process.exit(isUsage || error instanceof RefusedArgument ? 2 : 1);
}
