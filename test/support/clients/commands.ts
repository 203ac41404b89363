// A command of users in the test's process: its arguments are read and its ending is printed as the program does it.
import { readArguments } from '../../../api/cli/arguments.ts';
import { runClientCommand, type ClientCommand } from '../../../api/cli/client/run.ts';
import { findCommand } from '../../../api/cli/options.ts';
import { printAnswer } from '../../../api/cli/output/print-answer.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { terminalOf } from './terminal.ts';

export interface EndedCommand {
  code: number;
  out: string;
  err: string;
}

/** Nobody can be asked. */
export async function runCommand(
  args: string[],
  env: Record<string, string>,
): Promise<EndedCommand> {
  let [out, err] = ['', ''];
  const terminal = terminalOf({
    print: (line) => (out += `${line}\n`),
    note: (line) => (err += `${line}\n`),
  });
  const config = () => readConfig(env);
  const run = async () => {
    const { name, argument, values } = readArguments(args);
    const command = findCommand(name, values);
    return runClientCommand(command as ClientCommand, argument, values, { config, terminal });
  };
  const { exitCode } = await printAnswer(args, run, terminal);
  return { code: exitCode, out, err };
}
