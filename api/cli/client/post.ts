// The command `post`: uploads media, asks before it publishes, waits for the outcome, and exits with it.
import { toMs } from '../../../clients/typescript/src/durations.ts';
import {
  FanfareError,
  type Duration,
  type Fanfare,
  type Schemas,
} from '../../../clients/typescript/src/index.ts';
import type { Answer } from '../output/answer.ts';
import type { ClientArguments } from '../client-options.ts';
import { InvalidArgument } from '../output/invalid-argument.ts';
import { toPlain, toTable } from '../output/table.ts';
import type { Terminal } from '../output/terminal.ts';
import { findAccounts, nameOf } from './accounts.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';

export interface PostArguments extends ClientArguments {
  to?: string | undefined;
  media?: string[] | undefined;
  at?: string | undefined;
  zone?: string | undefined;
  draft?: boolean | undefined;
  yes?: boolean | undefined;
  wait?: string | undefined;
  'idempotency-key'?: string | undefined;
}

/** Throws an InvalidArgument, or a FanfareError if nothing was published. */
export async function post(
  client: Fanfare,
  caption: string,
  given: PostArguments,
  terminal: Terminal,
): Promise<Partial<Answer>> {
  const { media = [], draft = false, wait = '2m', 'idempotency-key': idempotencyKey } = given;
  if (caption === '' && media.length === 0) {
    throw new InvalidArgument('Give the text of the post, as in: post "Hello" --to bluesky:@ada');
  }
  if (caption === '-') throw new InvalidArgument('`post` reads no text from the standard input.');
  const time = readTime(given);
  const waitMs = readWait(wait);
  const isNow = !draft && !('schedule' in time || 'scheduled_at' in time);
  if (isNow && !given.yes && !terminal.ask) {
    throw new InvalidArgument('Without a terminal to ask, publishing now needs --yes.');
  }
  const accounts = await findAccounts(client, readNames(given.to), terminal);
  const body: Schemas['CreatePost'] = {
    caption,
    account_ids: accounts.map(({ id }) => id),
    ...time,
    ...(draft ? { status: 'draft' as const } : {}),
  };
  const { signal } = terminal;
  // Before the upload, so that a refused post uploads nothing.
  const { valid, warnings } = await client.posts.validate(body, { signal });
  for (const { message, code } of warnings) {
    terminal.note(toPlain(`Warning (${code}): ${message}`));
  }
  // Without its media, a post that needs them isn't valid. Creation refuses what is still wrong.
  if (isNow && !given.yes && (valid || media.length > 0)) {
    const question = `Publish to ${accounts.map(nameOf).join(', ')} now?`;
    if (!(await terminal.ask!(question))) throw new InvalidArgument('Nothing was published.');
  }
  const uploaded: string[] = [];
  for (const path of media) uploaded.push((await upload(client, path, signal)).id);
  const sent = uploaded.length > 0 ? { ...body, media_ids: uploaded } : body;
  const options = { waitMs, signal, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
  const created = await create(client, sent, options, terminal);
  if (!created) return { exitCode: exitCodes.unknown };
  return { text: describePost(created), data: created, exitCode: exitCodeOf(created) };
}

/** Undefined: no answer arrived, so the post may exist. */
async function create(
  client: Fanfare,
  body: Schemas['CreatePost'],
  options: { waitMs: number; idempotencyKey?: string; signal: AbortSignal },
  { note }: Terminal,
): Promise<Schemas['Post'] | undefined> {
  const { waitMs, ...call } = options;
  let post: Schemas['Post'];
  try {
    post = await client.posts.create(body, call);
  } catch (error) {
    const isRefused = error instanceof FanfareError && (error.status ?? 500) < 500;
    if (isRefused) throw error;
    note(`${messageOf(error)} The post may have been accepted. See the command \`posts\`.`);
    return undefined;
  }
  try {
    return await client.posts.wait(post.id, waitMs, { signal: call.signal });
  } catch (error) {
    note(`${messageOf(error)} The post was accepted: ${post.id}`);
    return post;
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function upload(client: Fanfare, path: string, signal: AbortSignal) {
  try {
    return await client.media.upload(path, { signal });
  } catch (error) {
    const isUnread = !(error instanceof FanfareError);
    if (isUnread) throw new InvalidArgument(`--media: ${path} can't be read.`);
    if (error.code !== 'configuration') throw error;
    throw new InvalidArgument(`--media: ${path} has no extension of an image, a video or a PDF.`);
  }
}

function readNames(to = ''): string[] {
  const names = to.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw new InvalidArgument('Set --to to one or more accounts, such as --to bluesky:@ada,sa_…');
}

function readWait(wait: string): number {
  try {
    return toMs('--wait', wait as Duration);
  } catch {
    throw new InvalidArgument('--wait must be a duration, such as 30s or 2m.');
  }
}

type Time = Pick<Schemas['CreatePost'], 'schedule' | 'scheduled_at'>;

function readTime({ at, zone }: PostArguments): Time {
  if (at === undefined) {
    if (zone === undefined) return {};
    throw new InvalidArgument('--zone needs --at.');
  }
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?$/.test(at)) {
    const timezone = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    return { schedule: { local: at.replace(' ', 'T'), timezone } };
  }
  if (/T.*(Z|[+-]\d\d:\d\d)$/.test(at) && zone === undefined) return { scheduled_at: at };
  throw new InvalidArgument(
    '--at must be a time such as "2026-12-01 09:00", with --zone, or such as 2026-12-01T09:00:00Z.',
  );
}

export function describePost({ id, status, scheduled_at, results }: Schemas['Post']): string {
  const when = status === 'scheduled' && scheduled_at ? ` for ${scheduled_at}` : '';
  const rows = results.map((result) => {
    const outcome =
      result.url ?? [result.error_code, result.error_message].filter(Boolean).join(': ');
    return [nameOf(result), result.status, outcome];
  });
  const title = [id, `${status}${when}`].map(toPlain).join('  ');
  return rows.length === 0 ? title : `${title}\n${toTable(['ACCOUNT', 'STATUS', 'RESULT'], rows)}`;
}
