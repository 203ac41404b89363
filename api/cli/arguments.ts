// Reads the words of the command line: the name of the command, its argument and its options.
import { parseArgs } from 'node:util';
import { options } from './options.ts';

const commandsWithArgument = ['pause', 'resume', 'verify', 'post', 'posts', 'watch'];

/** `argument`: the words after the name. Throws Node's error for an unknown option. */
export function readArguments(args: string[]) {
  const { positionals, values } = parseArgs({
    args: joinNumbers(args),
    allowPositionals: true,
    options,
  });
  const [first = '', ...rest] = positionals;
  const name = commandsWithArgument.includes(first) ? first : positionals.join(' ');
  // An account is checked by its ID; a message needs the secret that signed it.
  const isMessage = name === 'verify' && values.secret !== undefined;
  return { name: isMessage ? 'verify --secret' : name, argument: rest.join(' '), values };
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
