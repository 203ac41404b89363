// Reads the words of the command line: the name of the command, its argument and its options.
import { parseArgs } from 'node:util';
import type { MessageArguments } from './client/webhooks.ts';
import { options } from './options.ts';
import { InvalidArgument } from './output/invalid-argument.ts';

const commandsWithArgument = ['pause', 'resume', 'verify', 'post', 'posts', 'watch'];

/**
 * `argument`: the word after the name of a command that takes one. Throws Node's error for an unknown option, and an
 * InvalidArgument for a second argument.
 */
export function readArguments(args: string[]) {
  const { positionals, values } = parseArgs({
    args: joinNumbers(args),
    allowPositionals: true,
    options,
  });
  const [name = '', argument = '', ...more] = positionals;
  if (!commandsWithArgument.includes(name))
    return { name: positionals.join(' '), argument: '', values };
  // Otherwise `post x --to @ada @bob` would publish "x @bob".
  if (more.length > 0) {
    const advice = name === 'post' ? ' Put the text in quotes.' : '';
    throw new InvalidArgument(
      `\`${name}\` takes one argument, but got ${more.join(' ')} too.${advice}`,
    );
  }
  const isOfMessage = name === 'verify' && isMessage(values);
  return { name: isOfMessage ? 'verify --secret' : name, argument, values };
}

/** An account is checked by its ID; a message needs the secret that signed it. */
function isMessage({ secret, header, tolerance }: MessageArguments): boolean {
  return [secret, header, tolerance].some((value) => value !== undefined);
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
