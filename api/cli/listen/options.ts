// Reads the options of `listen` from the command line.
import { generateWebhookSecret } from '../../../activities/delivering/signature.ts';
import { eventTypes, type EventType } from '../../../schema/event-types.ts';
import {
  readClientOptions,
  readUrl,
  type ClientArguments,
  type ClientDefaults,
  type ClientOptions,
} from '../client-options.ts';
import { InvalidArgument } from '../output/invalid-argument.ts';
import { readCursorFile } from './cursor-file.ts';

export interface ListenArguments extends ClientArguments {
  'forward-to'?: string | undefined;
  'no-forward'?: boolean | undefined;
  secret?: string | undefined;
  events?: string | undefined;
  after?: string | undefined;
  'cursor-file'?: string | undefined;
  test?: boolean | undefined;
  json?: boolean | undefined;
}

export interface ListenOptions extends ClientOptions {
  /** Undefined if events are only printed. */
  forwardTo: string | undefined;
  secret: string;
  /** Undefined means all. */
  types: EventType[] | undefined;
  /** Whether to stream test events instead of real events. */
  isTest: boolean;
  /** The cursor to start after. Undefined: only new events are shown. */
  after: string | undefined;
  cursorFile: string | undefined;
  /** Whether to print each event as a line of JSON. */
  isJson: boolean;
}

/** Throws an InvalidArgument. */
export async function readListenOptions(
  given: ListenArguments,
  config: ClientDefaults,
): Promise<ListenOptions> {
  const cursorFile = given['cursor-file'];
  const options = {
    forwardTo: readForwardTo(given),
    secret: readSecret(given.secret),
    types: given.events === undefined ? undefined : readTypes(given.events),
    isTest: given.test ?? false,
    after: readAfter(given) ?? (cursorFile && (await readCursorFile(cursorFile))),
    cursorFile,
    isJson: given.json ?? false,
  };
  return { ...(await readClientOptions(given, config)), ...options };
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
