// The words on the command line of `listen`, made into what it does; their faults are told one by one.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateWebhookSecret } from '../../../activities/delivering/signature.ts';
import type { Config } from '../../../schema/config/config.ts';
import { eventTypes, type EventType } from '../../../schema/events.ts';
import { checkUrlSyntax } from '../../../schema/wire/url-rules.ts';
import { RefusedArgument } from '../refused-argument.ts';
import { readCursorFile } from './cursor-file.ts';

export interface ListenWords {
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
  /** Of the API, without a slash at its end. */
  url: string;
  key: string;
  /** Undefined: events are only printed. */
  forwardTo: string | undefined;
  secret: string;
  /** Undefined: all. */
  types: EventType[] | undefined;
  isTest: boolean;
  /** Undefined: from now on. */
  after: string | undefined;
  cursorFile: string | undefined;
}

type Defaults = Pick<Config, 'dataDirectory' | 'port' | 'publicUrl' | 'secrets'>;

/** Throws a RefusedArgument. */
export async function readListenOptions(
  words: ListenWords,
  config: Defaults,
): Promise<ListenOptions> {
  const cursorFile = words['cursor-file'];
  const url = readUrl(
    '--url',
    words.url ?? defaultUrl(config),
    'https://fanfare.example.com',
  ).replace(/(\/graphql)?\/*$/, '');
  return {
    url,
    forwardTo: readForwardTo(words),
    secret: readSecret(words.secret),
    types: words.events === undefined ? undefined : readTypes(words.events),
    isTest: words.test ?? false,
    after: readAfter(words) ?? (cursorFile && (await readCursorFile(cursorFile))),
    cursorFile,
    key: words.key ?? config.secrets.apiKey ?? (await readKeptKey(url, config)),
  };
}

function defaultUrl({ publicUrl, port }: Defaults): string {
  return publicUrl ?? `http://127.0.0.1:${port}`;
}

function readAfter({ after }: ListenWords): string | undefined {
  if (after !== '') return after;
  throw new RefusedArgument('--after takes a cursor, as subscriptions give it.');
}

function readForwardTo(words: ListenWords): string | undefined {
  const url = words['forward-to'];
  const isPrinted = words['no-forward'] ?? false;
  if (url === undefined && !isPrinted) {
    throw new RefusedArgument('Give either --forward-to URL, or --no-forward to only print.');
  }
  if (url !== undefined && isPrinted) {
    throw new RefusedArgument('Give --forward-to or --no-forward, not both.');
  }
  return url === undefined ? undefined : readUrl('--forward-to', url, 'http://localhost:3000/hook');
}

function readUrl(name: string, text: string, example: string): string {
  const verdict = checkUrlSyntax(text);
  if (verdict.ok) return text;
  throw new RefusedArgument(
    `${name} takes an http:// or https:// URL, such as ${example}, without a user name or password.`,
  );
}

function readSecret(secret = generateWebhookSecret()): string {
  if (/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)) return secret;
  throw new RefusedArgument('--secret takes `whsec_` and base64 after it, as webhooks have it.');
}

function readTypes(list: string): EventType[] {
  return list.split(',').map((word) => {
    const kind = eventTypes.find((known) => known === word.trim());
    if (kind) return kind;
    throw new RefusedArgument(
      `--events: no events are of the kind "${word.trim()}". Give one or more of ${eventTypes.join(', ')}, separated by commas.`,
    );
  });
}

/** Of the Fanfare that runs on this machine, and told to no other. */
async function readKeptKey(url: string, config: Defaults): Promise<string> {
  const { dataDirectory, port } = config;
  const local = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${port}`);
  const own = [defaultUrl(config), ...local];
  if (!own.some((address) => new URL(address).origin === new URL(url).origin)) {
    throw new RefusedArgument(
      `Give --key KEY or FANFARE_API_KEY: the key in ${dataDirectory} is told to ${own[0]} alone (FANFARE_PORT), and this is ${url}.`,
    );
  }
  const path = join(dataDirectory, 'api-key');
  const key = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (key) return key;
  throw new RefusedArgument(`Give --key KEY or FANFARE_API_KEY: there is none in ${path}.`);
}
