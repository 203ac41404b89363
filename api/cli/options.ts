// The options of the command line, and which command takes which.
import { InvalidArgument, seeHelp } from './output/invalid-argument.ts';

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean', default: false } as const;

/** As `parseArgs` takes them. */
export const options = {
  name: text,
  project: text,
  scopes: text,
  test: flag,
  'expires-at': text,
  minutes: text,
  'forward-to': text,
  'no-forward': flag,
  events: text,
  secret: text,
  after: text,
  'cursor-file': text,
  url: text,
  key: text,
  publish: flag,
  'publish-public': flag,
  report: text,
  to: text,
  media: texts,
  at: text,
  zone: text,
  draft: flag,
  yes: { ...flag, short: 'y' },
  wait: text,
  'idempotency-key': text,
  status: text,
  limit: text,
  header: texts,
  tolerance: text,
  json: flag,
  help: { ...flag, short: 'h' },
  version: flag,
} as const;

type Option = keyof typeof options;

const server: readonly Option[] = ['url', 'key'];

const optionsByCommand = {
  start: [],
  api: [],
  worker: [],
  migrate: [],
  apps: [],
  'projects create': ['name'],
  'projects list': [],
  'projects rename': ['project', 'name'],
  'projects export': server,
  'projects erase': ['project', 'yes'],
  'keys create': ['project', 'name', 'scopes', 'test', 'expires-at'],
  'keys rotate': [],
  pause: [],
  resume: [],
  pauses: [],
  restored: [],
  stuck: ['minutes'],
  doctor: [],
  mcp: server,
  post: [...server, 'to', 'media', 'at', 'zone', 'draft', 'yes', 'wait', 'idempotency-key'],
  posts: [...server, 'status', 'limit'],
  accounts: server,
  webhooks: server,
  watch: server,
  'verify --secret': [...server, 'secret', 'header', 'tolerance'],
  verify: [...server, 'publish', 'publish-public', 'report'],
  listen: [
    ...server,
    'forward-to',
    'no-forward',
    'events',
    'test',
    'secret',
    'after',
    'cursor-file',
  ],
} as const satisfies Record<string, readonly Option[]>;

export type Command = keyof typeof optionsByCommand;

/** Throws an InvalidArgument. */
export function findCommand(name: string): Command {
  if (Object.hasOwn(optionsByCommand, name)) return name as Command;
  const longer = Object.keys(optionsByCommand).filter((command) => command.startsWith(`${name} `));
  const known =
    name !== '' && longer.length > 0
      ? ` There is ${longer.map((command) => `\`${command}\``).join(', ')}.`
      : '';
  throw new InvalidArgument(
    `${name ? `There is no command \`${name}\`.` : 'Specify a command.'}${known}\n${seeHelp}`,
  );
}

/** Without this, `post --test` would publish. Throws an InvalidArgument. */
export function refuseOtherOptions(command: Command, given: object): void {
  const own: readonly string[] = [...optionsByCommand[command], 'json'];
  // The parser sets every option that is not given to false or undefined.
  const other = Object.entries(given).find(
    ([name, value]) => value !== undefined && value !== false && !own.includes(name),
  );
  if (other) throw new InvalidArgument(`\`${command}\` takes no --${other[0]}.`);
}
