// Runs a command of users with the client of a Fanfare.
import { Fanfare } from '../../../clients/typescript/src/index.ts';
import type { Answer } from '../output/answer.ts';
import { readClientOptions, type ClientDefaults } from '../client-options.ts';
import type { Terminal } from '../output/terminal.ts';
import type { VerifyArguments } from '../verify/verify.ts';
import type { PostArguments } from './post.ts';
import type { PostsArguments } from './posts.ts';
import type { MessageArguments } from './webhooks.ts';

export type ClientCommand =
  | 'post'
  | 'posts'
  | 'accounts'
  | 'webhooks'
  | 'watch'
  | 'projects export'
  | 'verify'
  | 'verify --secret';

export type ClientCommandArguments = PostArguments &
  PostsArguments &
  MessageArguments &
  VerifyArguments;

interface Setting {
  config: () => ClientDefaults;
  terminal: Terminal;
}

/** `argument`: the words after the command. Throws an InvalidArgument, or a FanfareError. */
export async function runClientCommand(
  command: ClientCommand,
  argument: string,
  given: ClientCommandArguments,
  { config, terminal }: Setting,
): Promise<Partial<Answer>> {
  if (command === 'verify --secret') {
    return (await import('./webhooks.ts')).verifyMessage(argument, given, terminal);
  }
  const { url, key } = await readClientOptions(given, config());
  const client = new Fanfare({ url, apiKey: key });
  switch (command) {
    case 'post':
      return (await import('./post.ts')).post(client, argument, given, terminal);
    case 'posts':
      return (await import('./posts.ts')).showPosts(client, argument, given, terminal);
    case 'accounts':
      return (await import('./accounts.ts')).showAccounts(client, terminal);
    case 'webhooks':
      return (await import('./webhooks.ts')).showWebhooks(client, terminal);
    case 'projects export':
      return (await import('./export.ts')).exportProject(client, terminal);
    case 'watch':
      return (await import('./watch.ts')).watch(client, argument, given, terminal);
    case 'verify':
      return (await import('../verify/verify.ts')).verify(client, argument, given, terminal);
  }
}
