// The commands `webhooks`, which lists webhooks, and `verify` for a message that a webhook received.
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import {
  verifyWebhook,
  WebhookVerificationError,
  type Fanfare,
} from '../../../clients/typescript/src/index.ts';
import { InvalidArgument } from '../invalid-argument.ts';
import { toJson, toTable, type CommonArguments, type Terminal } from './client.ts';

export async function showWebhooks(
  client: Fanfare,
  { json }: CommonArguments,
  { print }: Terminal,
): Promise<number> {
  const webhooks = await Array.fromAsync(client.webhooks.list());
  if (json) print(toJson(webhooks));
  else if (webhooks.length === 0) print('No webhooks.');
  else {
    const rows = webhooks.map(({ id, status, url, events }) => [id, status, url, events.join(',')]);
    print(toTable(['WEBHOOK', 'STATUS', 'URL', 'EVENTS'], rows));
  }
  return 0;
}

export interface MessageArguments extends CommonArguments {
  secret?: string | undefined;
  header?: string[] | undefined;
  tolerance?: string | undefined;
}

/** `path`: a file, or `-` for the standard input. Returns the exit code. */
export async function verifyMessage(
  path: string,
  given: MessageArguments,
  { print, note }: Terminal,
): Promise<number> {
  const content =
    path === '-' || path === '' ? await text(process.stdin) : await readFile(path, 'utf8');
  const { headers, body } = readRequest(content, given.header ?? []);
  const secrets = (given.secret ?? '').split(',');
  try {
    const message = await verifyWebhook(body, headers, secrets, {
      toleranceS: readTolerance(given.tolerance),
    });
    print(
      given.json
        ? toJson({ valid: true, message })
        : `Valid: ${message.event}, ${message.timestamp}`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    if (given.json) print(toJson({ valid: false, code: error.code, message: error.message }));
    else note(`Not valid (${error.code}): ${error.message}`);
    return 1;
  }
}

/** Without --header, the file begins with the headers and an empty line, as a request does. */
function readRequest(content: string, given: string[]) {
  const [, head = '', rest = ''] = /^([\s\S]*?)\r?\n\r?\n([\s\S]*)$/.exec(content) ?? [];
  const [lines, body] = given.length > 0 ? [given, content] : [head.split(/\r?\n/), rest];
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined) headers[name.toLowerCase()] = value!;
  }
  return { headers, body };
}

function readTolerance(tolerance = '300'): number {
  if (/^\d{1,10}$/.test(tolerance)) return Number(tolerance);
  throw new InvalidArgument('--tolerance must be a number of seconds.');
}
