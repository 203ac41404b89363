// The Fanfare that a command calls, and the key that the command sends there.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../../schema/config/config.ts';
import { checkUrlSyntax } from '../../schema/wire/url-rules.ts';
import { InvalidArgument } from './output/invalid-argument.ts';

export interface ClientArguments {
  url?: string | undefined;
  key?: string | undefined;
}

export interface ClientOptions {
  /** Base URL of the API, without a trailing slash. */
  url: string;
  key: string;
}

export type ClientDefaults = Pick<
  Config,
  'clientUrl' | 'dataDirectory' | 'port' | 'publicUrl' | 'secrets'
>;

/** Throws an InvalidArgument. */
export async function readClientOptions(
  given: ClientArguments,
  config: ClientDefaults,
): Promise<ClientOptions> {
  const url = readUrl(
    '--url',
    given.url ?? config.clientUrl ?? ownUrl(config),
    'https://fanfare.example.com',
  ).replace(/(\/graphql)?\/*$/, '');
  const key = given.key ?? config.secrets.apiKey ?? (await readKeptKey(url, config));
  return { url, key };
}

function ownUrl({ publicUrl, port }: ClientDefaults): string {
  return publicUrl ?? `http://127.0.0.1:${port}`;
}

export function readUrl(name: string, text: string, example: string): string {
  const checked = checkUrlSyntax(text);
  if (checked.ok) return text;
  throw new InvalidArgument(
    `${name} must be an http:// or https:// URL without a user name or password, such as ${example}.`,
  );
}

/** The key in the data directory is sent only to the Fanfare of this machine. */
async function readKeptKey(url: string, config: ClientDefaults): Promise<string> {
  const { dataDirectory, port } = config;
  const local = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${port}`);
  const own = [ownUrl(config), ...local];
  if (!own.some((address) => new URL(address).origin === new URL(url).origin)) {
    throw new InvalidArgument(
      `Set --key KEY or FANFARE_API_KEY. The key in ${dataDirectory} is only for ${own[0]} (see FANFARE_PORT), not for ${url}.`,
    );
  }
  const path = join(dataDirectory, 'api-key');
  const key = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (key) return key;
  throw new InvalidArgument(
    `Set --key KEY or FANFARE_API_KEY, or FANFARE_DATA_DIR to the data directory of \`start\`: there is no key in ${resolve(path)}.`,
  );
}
