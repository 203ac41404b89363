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

/** `given`: the options. Throws an InvalidArgument for an unknown command, and for an option of other commands. */
export function findCommand(name: string, given: object): Command {
  if (!isCommand(name)) throw new InvalidArgument(`${describeUnknown(name)}\n${seeHelp}`);
  const own: readonly string[] = [...optionsByCommand[name], 'json'];
  // The parser sets every option that is not given to false or undefined.
  const other = Object.entries(given).find(
    ([option, value]) => value !== undefined && value !== false && !own.includes(option),
  );
  // Otherwise `post --test` would publish.
  if (other) throw new InvalidArgument(`\`${name}\` takes no --${other[0]}.`);
  return name;
}

const isCommand = (name: string): name is Command => Object.hasOwn(optionsByCommand, name);

function describeUnknown(name: string): string {
  if (name === '') return 'Specify a command.';
  const longer = Object.keys(optionsByCommand).filter((command) => command.startsWith(`${name} `));
  const known =
    longer.length > 0 ? ` There is ${longer.map((each) => `\`${each}\``).join(', ')}.` : '';
  return `There is no command \`${name}\`.${known}`;
}
