// Reads the options of `listen` from the command line.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateWebhookSecret } from '../../../activities/delivering/signature.ts';
import type { Config } from '../../../schema/config/config.ts';
import { eventTypes, type EventType } from '../../../schema/event-types.ts';
import { checkUrlSyntax } from '../../../schema/wire/url-rules.ts';
import { InvalidArgument } from '../invalid-argument.ts';
import { readCursorFile } from './cursor-file.ts';

export interface ListenArguments {
  'forward-to'?: string | undefined;
  'no-forward'?: boolean | undefined;
  url?: string | undefined;
  key?: string | undefined;
  secret?: string | undefined;
  events?: string | undefined;
  after?: string | undefined;
  'cursor-file'?: string | undefined;
  test?: boolean | undefined;
}

export interface ListenOptions {
  /** Base URL of the API, without a trailing slash. */
  url: string;
  key: string;
  /** Undefined if events are only printed. */
  forwardTo: string | undefined;
  secret: string;
  /** Undefined means all. */
  types: EventType[] | undefined;
  /** Test events instead of real ones. */
  isTest: boolean;
  /** Undefined means from now on. */
  after: string | undefined;
  cursorFile: string | undefined;
}

type Defaults = Pick<Config, 'dataDirectory' | 'port' | 'publicUrl' | 'secrets'>;

/** Throws an InvalidArgument. */
export async function readListenOptions(
  given: ListenArguments,
  config: Defaults,
): Promise<ListenOptions> {
  const cursorFile = given['cursor-file'];
  const url = readUrl(
    '--url',
    given.url ?? defaultUrl(config),
    'https://fanfare.example.com',
  ).replace(/(\/graphql)?\/*$/, '');
  return {
    url,
    forwardTo: readForwardTo(given),
    secret: readSecret(given.secret),
    types: given.events === undefined ? undefined : readTypes(given.events),
    isTest: given.test ?? false,
    after: readAfter(given) ?? (cursorFile && (await readCursorFile(cursorFile))),
    cursorFile,
    key: given.key ?? config.secrets.apiKey ?? (await readKeptKey(url, config)),
  };
}

function defaultUrl({ publicUrl, port }: Defaults): string {
  return publicUrl ?? `http://127.0.0.1:${port}`;
}

function readAfter({ after }: ListenArguments): string | undefined {
  if (after !== '') return after;
  throw new InvalidArgument('--after must be a cursor of a live stream.');
}

function readForwardTo(given: ListenArguments): string | undefined {
  const url = given['forward-to'];
  const isPrinted = given['no-forward'] ?? false;
  if (url === undefined && !isPrinted) {
    throw new InvalidArgument('Set --forward-to URL, or --no-forward to only print events.');
  }
  if (url !== undefined && isPrinted) {
    throw new InvalidArgument('Set --forward-to or --no-forward, not both.');
  }
  return url === undefined ? undefined : readUrl('--forward-to', url, 'http://localhost:3000/hook');
}

function readUrl(name: string, text: string, example: string): string {
  const checked = checkUrlSyntax(text);
  if (checked.ok) return text;
  throw new InvalidArgument(
    `${name} must be an http:// or https:// URL without a user name or password, such as ${example}.`,
  );
}

function readSecret(secret = generateWebhookSecret()): string {
  if (/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)) return secret;
  throw new InvalidArgument('--secret must be `whsec_` followed by base64.');
}

function readTypes(list: string): EventType[] {
  return list.split(',').map((word) => {
    const type = eventTypes.find((known) => known === word.trim());
    if (type) return type;
    throw new InvalidArgument(
      `--events: unknown event type "${word.trim()}". Use one or more of ${eventTypes.join(', ')}, separated by commas.`,
    );
  });
}

/** The key in the data directory is sent only to the Fanfare of this machine. */
async function readKeptKey(url: string, config: Defaults): Promise<string> {
  const { dataDirectory, port } = config;
  const local = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${port}`);
  const own = [defaultUrl(config), ...local];
  if (!own.some((address) => new URL(address).origin === new URL(url).origin)) {
    throw new InvalidArgument(
      `Set --key KEY or FANFARE_API_KEY. The key in ${dataDirectory} is only for ${own[0]} (see FANFARE_PORT), not for ${url}.`,
    );
  }
  const path = join(dataDirectory, 'api-key');
  const key = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (key) return key;
  throw new InvalidArgument(`Set --key KEY or FANFARE_API_KEY: ${path} has no key.`);
}
