// The server that is named on the command line of `npm run test:networks`.
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { findFormMethod } from '../../../../activities/platforms/index.ts';
import type { Credentials } from '../../../../activities/platforms/platform.ts';
import { PlatformName, platformNames } from '../../../../schema/platforms/index.ts';
import { createConnector } from './connector.ts';

export interface NamedServer {
  name: PlatformName;
  /** Empty if a person gives consent. */
  credentials: Credentials;
  isByConsent: boolean;
}

/** The test gets the server in this variable, as JSON. */
export const namedServerVariable = 'FANFARE_TEST_NETWORK';

/** `--url` and `--token` stand for the network's own names of these credentials. */
const shortNames: Record<string, RegExp> = {
  url: /^(server|site|service|relays|webhook_url)$/,
  token: /(token|password|_key)$/,
};

/** Throws if an argument is missing. */
export function readNamedServer(args: readonly string[]): NamedServer {
  const name = PlatformName.safeParse(args[0]).data;
  if (name === undefined || name === 'sandbox') throw new Error(`There is no network ${args[0]}.`);
  if (args.includes('--consent')) return readConsent(name, args.slice(1));
  if (!findFormMethod(openConnector(name))) throw new Error(`${name} needs --consent.`);
  const fields = listFields(name);
  const given = [...fields.map((field) => field.name), ...Object.keys(shortNames)];
  const { values } = parseArgs({
    args: args.slice(1),
    options: Object.fromEntries(given.map((option) => [option, { type: 'string' as const }])),
  });
  const credentials: Credentials = {};
  for (const [option, value] of Object.entries(values)) {
    const field = fields.find((each) => each.name === option) ?? findShort(fields, option);
    if (!field) throw new Error(`${name} takes no --${option}.`);
    if (value !== undefined) credentials[field.name] = value;
  }
  const missing = fields.filter((field) => field.isRequired && !(field.name in credentials));
  if (missing.length > 0) {
    throw new Error(`${name} needs ${missing.map((field) => `--${field.name}`).join(', ')}.`);
  }
  return { name, credentials, isByConsent: false };
}

function readConsent(name: PlatformName, args: readonly string[]): NamedServer {
  if (!hasConsent(name)) throw new Error(`${name} has no consent page.`);
  if (args.length > 1) throw new Error('--consent takes no credentials: you log in in a browser.');
  return { name, credentials: {}, isByConsent: true };
}

const hasConsent = (name: PlatformName) =>
  openConnector(name).connect.some(({ kind }) => kind === 'consent');

const openConnector = (name: PlatformName) => createConnector(name, { env: {} }, { fetch });

export function describeUsage(): string {
  const networks = platformNames.filter((name) => name !== 'sandbox').map(describeNetwork);
  return `Usage: npm run test:networks [-- <network> --<credential> <value> ...]
       npm run test:networks -- <network> --consent

Without a network: starts real servers on this machine, downloads them first if they are not in the
cache, and publishes to them.

With one: connects to any real server of the network with these credentials, and runs the cases of the
contract that need no faults: connecting, wrong credentials, a text at the limit and one over it,
options, a reply, a thread, a first comment, disconnecting. THIS PUBLISHES a dozen posts, some of them
long, and prints the address of each, so that you can delete them. Use an account made for tests.
Settings are read from the environment, such as FANFARE_SLACK_API_URL, or
FANFARE_ALLOW_PRIVATE_CIDRS for a server in a private network.

With --consent instead of credentials, it prints links to open in a browser on this machine. You log in
at the network there, and allow the access. FANFARE_PORT sets the port that the network sends you back to.

${networks.join('\n\n')}

--url and --token are short for the first field that is an address or a token:
npm run test:networks -- mastodon --url https://mastodon.example --token TOKEN`;
}

interface Field {
  name: string;
  description: string;
  isRequired: boolean;
}

const FieldSchemas = z.object({
  description: z.string().default(''),
  properties: z.record(
    z.string(),
    z.object({ title: z.string().default(''), description: z.string().default('') }),
  ),
  required: z.array(z.string()).default([]),
});

function listFields(name: PlatformName): Field[] {
  const { properties, required } = readSchema(name);
  return Object.entries(properties).map(([field, { title, description }]) => ({
    name: field,
    description: [title, description].filter(Boolean).join(': '),
    isRequired: required.includes(field),
  }));
}

function readSchema(name: PlatformName): z.infer<typeof FieldSchemas> {
  const fields = findFormMethod(openConnector(name))?.fields ?? z.object({});
  return FieldSchemas.parse(z.toJSONSchema(fields, { io: 'input', unrepresentable: 'any' }));
}

function findShort(fields: Field[], option: string): Field | undefined {
  return fields.find((field) => shortNames[option]?.test(field.name));
}

function describeNetwork(name: PlatformName): string {
  const fields = listFields(name).map(
    (field) => `    --${field.name}${field.isRequired ? '' : ' (optional)'}  ${field.description}`,
  );
  const consent = hasConsent(name) ? ['    --consent  You log in in a browser.'] : [];
  return [`  ${name}  ${readSchema(name).description}`, ...fields, ...consent].join('\n');
}
