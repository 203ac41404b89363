// The program: `node api/cli.ts <command>`. Reads the environment and runs the command.
import { parseArgs } from 'node:util';
import { readConfig, type Config } from '../schema/config/config.ts';
import { Environment } from '../schema/config/environment.ts';
import { readFileVariables } from '../schema/config/file-variables.ts';
import { writeAnswer } from './cli/answer.ts';
import { readClientOptions } from './cli/client-options.ts';
import type { ClientCommand, ClientCommandArguments } from './cli/client/run.ts';
import { version } from '../schema/version.ts';
import { InvalidArgument } from './cli/invalid-argument.ts';
import { readListenOptions, type ListenArguments } from './cli/listen/options.ts';
import type { Running } from './cli/start.ts';
import { readVerifyOptions, type VerifyArguments } from './cli/verify/options.ts';

/** In the package, this file is JavaScript. */
const program = import.meta.filename.endsWith('.ts') ? 'npx node api/cli.ts' : 'npx fanfare';

const usage = () => `Usage: ${program} <command>

Publish, at the Fanfare of FANFARE_URL or on this machine (docs/cli.md):
  post "TEXT"           publish, schedule or draft a post; exits with 0 if it was published, 2 if
                        only partly, 3 if not, 4 if that is unknown, 1 if it was refused
    --to A,B            accounts, such as bluesky:@ada or sa_…
    --media FILE        image, video or document; repeat it for more
    --at TIME           schedule it, such as "2026-12-01 09:00"
    --zone ZONE         time zone of --at, such as Europe/Berlin (default: that of this machine)
    --draft             only save it
    --yes               publish without asking
    --wait DURATION     wait for the outcome for at most this time (default: 2m)
    --idempotency-key K make a repeat of the command safe
  posts [POST]          list posts, or show one
    --status A,B        only posts with these statuses
    --limit N           at most this number (default: 20)
  accounts              list connected accounts
  webhooks              list webhooks
  watch [POST]          show changes of posts as they happen; of one post, until it has ended
  verify [FILE]         check the signature of a webhook request, in a file or the standard input
    --secret A,B        secrets of the webhook
    --header LINE       a header of the request, if the input has only the body; repeat it
    --tolerance SECONDS how old the request may be (default: 300)
  --url, --key          as for \`listen\`

With every command that ends, and with \`watch\` and \`listen\`:
  --json                print JSON for programs

Run Fanfare:
  start                 run everything in one process, with embedded Postgres and Temporal
                        unless DATABASE_URL and TEMPORAL_ADDRESS are set
  api                   run the HTTP server
  worker                run a worker: workflows, relay and sweeper
  migrate               migrate the database

Manage projects and keys:
  projects create       create a project and print its first key
    --name NAME
  projects list         list projects
  projects rename       change the name of a project
    --project ID
    --name NAME
  projects export       print everything that the API shows of a project, as lines of JSON
    --url, --key        as for \`listen\`; the key is one of the project
  projects erase        delete a project with everything that belongs to it
    --project ID
    --yes
  keys create           create an API key and print it
    --project ID        project of the key
    --name NAME
    --scopes A,B        default: all scopes
    --test              a test key, which sees only the sandbox
    --expires-at TIME   default: never

Serve agents:
  mcp                   an MCP server on standard input and output, for a client that starts it
    --url, --key        as for \`listen\`

Operate:
  apps                  list your apps at networks with their callback URLs
  pause SCOPE           stop publishing to a network or for a project, by its ID, or stop
                        all webhook deliveries with the word \`deliveries\`
  resume SCOPE          end a pause
  pauses                list the pauses
  keys rotate           seal stored secrets of older vault keys with the first one
  restored              run once after you restore the database from a backup: Fanfare then
                        checks each post at its network before it sends it
  doctor                check the configuration, the backends, clocks, keys, apps, certificates
                        and versions of networks' APIs; exits with 1 if something fails
  stuck                 list posts without progress and overdue deliveries
    --minutes N         for at least this time (default: 15)
  verify ACCOUNT        check whether an account can publish, by its ID; exits with 1 if not
    --publish           also publish a post, read it back and remove it
    --publish-public    the same at networks where the post stays
    --report FILE       write a report in Markdown
    --url, --key        as for \`listen\`

Develop:
  listen                stream events to your machine, as signed webhook requests
    --forward-to URL    send them to this server
    --no-forward        only print them
    --events A,B        only these event types
    --test              test events instead of real ones
    --secret SECRET     signing secret (default: a new one, printed at the start)
    --after CURSOR      start after this cursor (default: now)
    --cursor-file PATH  save the cursor in this file, and resume from it
    --url URL           Fanfare to listen to (default: FANFARE_URL, or the one on this machine)
    --key KEY           API key (default: FANFARE_API_KEY, or the key in the data directory)

Environment variables (<NAME>_FILE is the path of a file with the value):

${describeVariables()}`;

type Default = string | number | boolean | string[] | number[];

function describeVariables(): string {
  const defaults: Record<string, Default | undefined> = Environment.parse({});
  return Object.entries(Environment.shape)
    .map(([name, type]) => {
      const fallback = defaults[name];
      const note = fallback === undefined ? '' : ` Default: ${write(fallback)}.`;
      return `  ${name}\n      ${type.meta()?.description ?? ''}${note}`;
    })
    .join('\n');
}

/**
 * Writes a default as its environment variable would have it. Scopes are separated by spaces, and times by
 * commas.
 */
const write = (fallback: Default) =>
  Array.isArray(fallback) && typeof fallback[0] === 'string'
    ? fallback.join(' ')
    : String(fallback);

const seeHelp = '`--help` lists all commands, options and variables.';

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
      publish: { type: 'boolean', default: false },
      'publish-public': { type: 'boolean', default: false },
      report: { type: 'string' },
      to: { type: 'string' },
      media: { type: 'string', multiple: true },
      at: { type: 'string' },
      zone: { type: 'string' },
      draft: { type: 'boolean', default: false },
      yes: { type: 'boolean', short: 'y', default: false },
      wait: { type: 'string' },
      'idempotency-key': { type: 'string' },
      status: { type: 'string' },
      limit: { type: 'string' },
      header: { type: 'string', multiple: true },
      tolerance: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      version: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(usage());
  if (values.version) return print(version);
  const [first, ...rest] = positionals;
  const scope = rest.join(' ');
  const hasArgument = commandsWithArgument.includes(first ?? '');
  const command = hasArgument ? first : positionals.join(' ');
  switch (command) {
    case 'start':
      return run({
        start: async (signal) => {
          const { startAllInOne } = await import('./cli/start.ts');
          return startAllInOne(startConfig(), { print, fail: exitWith, signal });
        },
        onStopping: () => print('Stopping.'),
      });
    case 'api':
      return runRole('api');
    case 'worker':
      return runRole('worker');
    case 'migrate': {
      const { runMigrate } = await import('./cli/migrate.ts');
      const answer = await runMigrate(operatorConfig(), (line) => console.error(line));
      return print(writeAnswer(answer, values.json));
    }
    case 'apps':
    case 'projects create':
    case 'projects list':
    case 'projects rename':
    case 'projects erase':
    case 'keys create':
    case 'pause':
    case 'resume':
    case 'pauses':
    case 'keys rotate':
    case 'restored':
    case 'stuck': {
      const { runOnDatabase } = await import('./cli/on-database.ts');
      return runOnDatabase(command, { values, scope, config: operatorConfig(), print });
    }
    case 'doctor':
      return runDoctor(values.json);
    case 'listen':
      return listenUntilSignal(values);
    case 'mcp': {
      const options = await readClientOptions(values, clientConfig());
      const { serveMcp } = await import('./cli/mcp.ts');
      return serveMcp(options, (line) => console.error(line));
    }
    case 'verify':
      // An account is checked by its ID; a message needs the secret that signed it.
      if (values.secret !== undefined) return runForUser('verify message', scope, values);
      return runVerify(scope, values);
    case 'post':
    case 'posts':
    case 'accounts':
    case 'webhooks':
    case 'watch':
    case 'projects export':
      return runForUser(command, scope, values);
    default:
      if (command === '') console.error(usage());
      throw new InvalidArgument(
        `${command ? `There is no command \`${command}\`.` : 'Specify a command.'}\n${seeHelp}`,
      );
  }
}

const commandsWithArgument = ['pause', 'resume', 'verify', 'post', 'posts', 'watch'];

const operatorConfig = () => readConfig(readFileVariables(process.env), 'operator');

// Each command loads only what it needs, because loading everything takes longer than most commands.

/** Once the configuration is valid, the process writes everything as lines of its log. */
async function runRole(role: 'api' | 'worker'): Promise<void> {
  const config = readConfig(readFileVariables(process.env), role);
  const { createLog } = await import('./server/log.ts');
  const log = createLog(config);
  const component = 'process';
  // By default, Node prints warnings as text.
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ component, err }, 'Node warns'));
  try {
    await run({
      start: async (signal) => {
        const { startRole } = await import('./cli/role.ts');
        return startRole(config, role, { log, signal });
      },
      onStopping: () => log.info({ component }, 'stopping'),
    });
  } catch (error) {
    const { message, cause } = error as Error;
    log.fatal({ component, ...(cause instanceof Error ? { cause: cause.message } : {}) }, message);
    process.exit(1);
  }
}

/** Turns `--minutes -1` into `--minutes=-1`, so that a negative number is a value and not an option. */
function joinNumbers(args: string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const option = joined.at(-1);
    if (/^-\d/.test(arg) && option?.startsWith('--')) joined.splice(-1, 1, `${option}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

/** Without DATABASE_URL, the program is on a developer's machine, so loopback is allowed. */
function startConfig(): Config {
  const env = readFileVariables(process.env);
  if (env['DATABASE_URL'] || env['FANFARE_ALLOW_PRIVATE_CIDRS'] !== undefined)
    return readConfig(env);
  print('Webhooks can reach this machine (FANFARE_ALLOW_PRIVATE_CIDRS=127.0.0.0/8,::1/128).');
  return readConfig({ ...env, FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8,::1/128' });
}

/** For one Ctrl-C, both the terminal and npm send a signal. */
const sameSignalMs = 500;

/** Runs until a signal. A second signal ends the process at once. */
async function run({
  start,
  onStopping,
}: {
  start: (signal: AbortSignal) => Promise<Running>;
  onStopping: () => void;
}): Promise<void> {
  const stopping = new AbortController();
  const signaled = new Promise<void>((resolve) => {
    let firstAt: number | undefined;
    const stop = () => {
      if (firstAt !== undefined) {
        if (performance.now() - firstAt > sameSignalMs) process.exit(1);
        return;
      }
      firstAt = performance.now();
      onStopping();
      stopping.abort(new Stopped());
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
  try {
    const running = await start(stopping.signal);
    await signaled;
    await running.stop();
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
  process.exit(0);
}

/** Reads only FANFARE_ variables, because a developer's DATABASE_URL may belong to another program. */
function clientConfig(): Config {
  const ours = Object.entries(process.env).filter(([name]) => name.startsWith('FANFARE_'));
  return readConfig(readFileVariables(Object.fromEntries(ours)));
}

async function listenUntilSignal(given: ListenArguments): Promise<void> {
  const options = await readListenOptions(given, clientConfig());
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stopping.abort());
  const warn = (line: string) => console.error(line);
  const { listen } = await import('./cli/listen/listen.ts');
  await listen(options, { print, warn, stream: process.stdout }, stopping.signal);
  process.exit(0);
}

async function runForUser(
  command: ClientCommand,
  argument: string,
  given: ClientCommandArguments,
): Promise<void> {
  const { runClientCommand } = await import('./cli/client/run.ts');
  process.exitCode = await runClientCommand(command, argument, given, clientConfig);
}

async function runDoctor(json: boolean): Promise<void> {
  const { doctor } = await import('./cli/doctor/doctor.ts');
  const role = process.env['DATABASE_URL'] === undefined ? 'start' : 'api';
  const works = await doctor({
    readConfig: () => readConfig(readFileVariables(process.env), role),
    json,
    print,
  });
  process.exit(works ? 0 : 1);
}

async function runVerify(accountId: string, given: VerifyArguments): Promise<void> {
  const options = await readVerifyOptions(accountId, given, clientConfig());
  const { verify } = await import('./cli/verify/verify.ts');
  process.exit((await verify(options, print)) ? 0 : 1);
}

/** Aborts a start after a signal. */
class Stopped extends Error {}

function exitWith(reason: string): void {
  console.error(reason);
  process.exit(1);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const { message, code, cause } = error as Error & { code?: string };
  const isParsing = code?.startsWith('ERR_PARSE_ARGS') ?? false;
  // Removes Node's advice on positional arguments that begin with a hyphen.
  if (isParsing)
    console.error(`${message.replace(/ To specify a positional .*$/s, '')}\n${seeHelp}`);
  else console.error(message);
  if (cause && !isParsing) console.error(cause);
  // For `post`, 2 means that a post was published partly.
  const isUsage = isParsing || error instanceof InvalidArgument;
  process.exit(isUsage && process.argv[2] !== 'post' ? 2 : 1);
}
