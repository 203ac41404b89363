// The program: `node api/cli.ts <command>`. Reads the environment and runs the command.
import { readConfig, type Config } from '../schema/config/config.ts';
import { readFileVariables } from '../schema/config/file-variables.ts';
import type { Answer } from './cli/output/answer.ts';
import { readArguments } from './cli/arguments.ts';
import { readClientOptions } from './cli/client-options.ts';
import type { ClientCommand, ClientCommandArguments } from './cli/client/run.ts';
import { version } from '../schema/version.ts';
import type { ListenArguments } from './cli/listen/options.ts';
import { findCommand } from './cli/options.ts';
import { printAnswer } from './cli/output/print-answer.ts';
import { openTerminal } from './cli/output/terminal.ts';
import { runUntilSignal } from './cli/until-signal.ts';
import { usage } from './cli/usage.ts';

const print = (line: string) => console.log(line);
const note = (line: string) => console.error(line);

async function main(args: string[]): Promise<Partial<Answer>> {
  const { name, argument, values } = readArguments(args);
  if (values.help || values.version) {
    print(values.help ? usage() : version);
    return {};
  }
  if (name === '') note(usage());
  const command = findCommand(name, values);
  switch (command) {
    case 'start':
      return runUntilSignal({
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
      return runMigrate(operatorConfig(), note);
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
      return runOnDatabase(command, { values, scope: argument, config: operatorConfig(), note });
    }
    case 'doctor':
      return runDoctor();
    case 'listen':
      return listenUntilSignal(values);
    case 'mcp': {
      const options = await readClientOptions(values, clientConfig());
      const { serveMcp } = await import('./cli/mcp.ts');
      await serveMcp(options, note);
      return {};
    }
    case 'post':
    case 'posts':
    case 'accounts':
    case 'webhooks':
    case 'watch':
    case 'verify':
    case 'verify --secret':
    case 'projects export':
      return runForUser(command, argument, values);
  }
}

const operatorConfig = () => readConfig(readFileVariables(process.env), 'operator');

// Each command loads only what it needs, because loading everything takes longer than most commands.

/** Once the configuration is valid, the process writes everything as lines of its log. */
async function runRole(role: 'api' | 'worker'): Promise<never> {
  const config = readConfig(readFileVariables(process.env), role);
  const { createLog } = await import('./server/log.ts');
  const log = createLog(config);
  const component = 'process';
  // By default, Node prints warnings as text.
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ component, err }, 'Node warns'));
  try {
    return await runUntilSignal({
      start: async (signal) => {
        const { startRole } = await import('./cli/role.ts');
        return startRole(config, role, { log, signal });
      },
      onStopping: () => log.info({ component }, 'stopping'),
    });
  } catch (error) {
    const { message, cause } = error as Error;
    log.fatal({ component, ...(cause instanceof Error ? { cause: cause.message } : {}) }, message);
    return process.exit(1);
  }
}

/** Without DATABASE_URL, the program is on a developer's machine, so loopback is allowed. */
function startConfig(): Config {
  const env = readFileVariables(process.env);
  if (env['DATABASE_URL'] || env['FANFARE_ALLOW_PRIVATE_CIDRS'] !== undefined)
    return readConfig(env);
  print('Webhooks can reach this machine (FANFARE_ALLOW_PRIVATE_CIDRS=127.0.0.0/8,::1/128).');
  return readConfig({ ...env, FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8,::1/128' });
}

/** Reads only FANFARE_ variables, because a developer's DATABASE_URL may belong to another program. */
function clientConfig(): Config {
  const ours = Object.entries(process.env).filter(([name]) => name.startsWith('FANFARE_'));
  return readConfig(readFileVariables(Object.fromEntries(ours)));
}

/** A signal ends a command of users without a message. */
async function runForUser(
  command: ClientCommand,
  argument: string,
  given: ClientCommandArguments,
): Promise<Partial<Answer>> {
  const { runClientCommand } = await import('./cli/client/run.ts');
  const terminal = openTerminal();
  try {
    return await runClientCommand(command, argument, given, { config: clientConfig, terminal });
  } catch (error) {
    if (terminal.signal.aborted) return { exitCode: 1 };
    throw error;
  }
}

async function listenUntilSignal(given: ListenArguments): Promise<never> {
  const { listen } = await import('./cli/listen/listen.ts');
  const { readListenOptions } = await import('./cli/listen/options.ts');
  await listen(await readListenOptions(given, clientConfig()), openTerminal());
  process.exit(0);
}

async function runDoctor(): Promise<Answer> {
  const { doctor } = await import('./cli/doctor/doctor.ts');
  const role = process.env['DATABASE_URL'] === undefined ? 'start' : 'api';
  return doctor(() => readConfig(readFileVariables(process.env), role));
}

function exitWith(reason: string): void {
  note(reason);
  process.exit(1);
}

const args = process.argv.slice(2);
const { exitCode, hasFailed } = await printAnswer(args, () => main(args), { print, note });
if (hasFailed) process.exit(exitCode);
process.exitCode = exitCode;
