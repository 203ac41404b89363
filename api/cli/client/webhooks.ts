// The commands `webhooks`, which lists webhooks, and `verify` for a message that a webhook received.
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import {
  verifyWebhook,
  WebhookVerificationError,
  type Fanfare,
} from '../../../clients/typescript/src/index.ts';
import type { Answer } from '../output/answer.ts';
import { InvalidArgument } from '../output/invalid-argument.ts';
import { toTable } from '../output/table.ts';
import type { Terminal } from '../output/terminal.ts';

export async function showWebhooks(client: Fanfare, { signal }: Terminal): Promise<Answer> {
  const data = await Array.fromAsync(client.webhooks.list({}, { signal }));
  const rows = data.map(({ id, status, url, events }) => [id, status, url, events.join(',')]);
  const text = toTable(['WEBHOOK', 'STATUS', 'URL', 'EVENTS'], rows);
  return { text: data.length === 0 ? 'No webhooks.' : text, data };
}

export interface MessageArguments {
  secret?: string | undefined;
  header?: string[] | undefined;
  tolerance?: string | undefined;
}

/** `path`: a file, or `-` for the standard input. */
export async function verifyMessage(
  path: string,
  given: MessageArguments,
  { note }: Terminal,
): Promise<Partial<Answer>> {
  if (given.secret === undefined)
    throw new InvalidArgument('To check a message, give its --secret.');
  const content =
    path === '-' || path === '' ? await text(process.stdin) : await readFile(path, 'utf8');
  const { headers, body } = readRequest(content, given.header ?? []);
  const secrets = given.secret.split(',');
  try {
    const message = await verifyWebhook(body, headers, secrets, {
      toleranceS: readTolerance(given.tolerance),
    });
    const text = `Valid: ${message.event}, ${message.timestamp}`;
    return { text, data: { valid: true, message } };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const { code, message } = error;
    note(`Not valid (${code}): ${message}`);
    return { data: { valid: false, code, message }, exitCode: 1 };
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
