// Slack's Web API as its reference documents it: one workspace, its channels, and the app's bot.
// Read on 2026-11-22: https://docs.slack.dev/reference/methods (auth.test, chat.postMessage, chat.update,
// chat.getPermalink, conversations.info, conversations.history, conversations.replies),
// https://docs.slack.dev/messaging/message-metadata and https://docs.slack.dev/apis/web-api. `blocks.ts` has Block Kit.
// Stricter than Slack: it refuses an argument that it doesn't know, a reply to a reply, and a
// request body without `charset=utf-8`.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { findBlockErrors, listFiles, readText } from './blocks.ts';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';

interface Channel {
  id: string;
  name: string;
  is_private: boolean;
  is_archived: boolean;
  is_member: boolean;
}

interface Message {
  type: 'message';
  /** Messages with files have no subtype. */
  subtype?: 'bot_message' | 'thread_broadcast';
  bot_id: string;
  channel: string;
  ts: string;
  text: string;
  thread_ts?: string;
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
  files?: SharedFile[];
}

interface SharedFile {
  id: string;
  name: string;
  size: number;
  mimetype: string;
  alt_txt?: string;
}

interface SlackFile extends SharedFile {
  /** Ticket of the upload URL. */
  ticket: string;
  bytes?: Buffer;
  isCompleted: boolean;
}

/** A refusal in Slack's form: HTTP 200 with `ok: false`. */
class SlackRefusal extends Error {
  readonly more: Record<string, unknown>;

  constructor(code: string, more: Record<string, unknown> = {}) {
    super(code);
    this.more = more;
  }
}

const timestamp = z.string().regex(/^\d+\.\d{6}$/);
const yes = z.enum(['true', '1']);
const pageArguments = {
  oldest: timestamp.optional(),
  latest: timestamp.optional(),
  inclusive: yes.optional(),
  include_all_metadata: yes.optional(),
  limit: z.coerce.number().int().min(1).max(999).default(100),
  cursor: z.string().min(1).optional(),
};

/** JSON in a form. */
const jsonOf = <T>(schema: z.ZodType<T>) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'not JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

const metadata = z
  .strictObject({
    event_type: z.string().regex(/^\w{1,255}$/),
    event_payload: z.record(z.string(), z.unknown()),
  })
  .optional();

const Arguments = {
  'auth.test': z.strictObject({}),
  'chat.postMessage': z.strictObject({
    channel: z.string(),
    text: z.string().optional(),
    blocks: z.array(z.looseObject({ type: z.string() })).optional(),
    thread_ts: timestamp.optional(),
    reply_broadcast: z.boolean().optional(),
    unfurl_links: z.boolean().optional(),
    unfurl_media: z.boolean().optional(),
    mrkdwn: z.boolean().optional(),
    metadata,
  }),
  'files.getUploadURLExternal': z.strictObject({
    filename: z.string().min(1),
    length: z.coerce.number().int().min(1),
    alt_txt: z.string().optional(),
    snippet_type: z.string().optional(),
  }),
  'files.completeUploadExternal': z.strictObject({
    files: jsonOf(z.array(z.strictObject({ id: z.string(), title: z.string().optional() })).min(1)),
    channel_id: z.string().optional(),
    thread_ts: timestamp.optional(),
    initial_comment: z.string().min(1).optional(),
    blocks: jsonOf(z.array(z.looseObject({ type: z.string() }))).optional(),
  }),
  'chat.update': z.strictObject({
    channel: z.string(),
    ts: timestamp,
    text: z.string().min(1),
    blocks: z.array(z.looseObject({ type: z.string() })).optional(),
    metadata,
  }),
  'chat.delete': z.strictObject({ channel: z.string(), ts: timestamp }),
  'chat.getPermalink': z.strictObject({ channel: z.string(), message_ts: timestamp }),
  'conversations.info': z.strictObject({ channel: z.string() }),
  'conversations.history': z.strictObject({ channel: z.string(), ...pageArguments }),
  'conversations.replies': z.strictObject({ channel: z.string(), ts: timestamp, ...pageArguments }),
} as const;
type Method = keyof typeof Arguments;
type ArgumentsOf<M extends Method> = z.infer<(typeof Arguments)[M]>;

const written: ReadonlySet<Method> = new Set([
  'auth.test',
  'chat.postMessage',
  'chat.update',
  'chat.delete',
  'files.getUploadURLExternal',
  'files.completeUploadExternal',
]);
const maxAltText = 1_000;
/** A message of more characters becomes several: api.slack.com/changelog/2018-04-truncating-really-long-messages */
const charactersOfAMessage = 4_000;
/** https://docs.slack.dev/reference/block-kit/composition-objects/slack-file-object */
const pictureTypes = new Set(['image/png', 'image/jpeg', 'image/gif']);

export class SlackServer implements NetworkServer {
  readonly team = { id: 'T0FANFARE1', name: 'Acme', url: 'https://acme-test.slack.com/' };
  readonly channel = 'C0GENERAL1';
  readonly privateChannel = 'C0PRIVATE1';
  readonly token = `xoxb-1111111111-2222222222-${crypto.randomUUID().replaceAll('-', '')}`;
  readonly channels = new Map(
    [
      channel(this.channel, 'general'),
      channel(this.privateChannel, 'board', { is_private: true }),
      channel('C0OLDNEWS1', 'old-news', { is_archived: true }),
      channel('C0STRANGE1', 'strange', { is_member: false }),
      channel('C0SECRET01', 'secret', { is_private: true, is_member: false }),
    ].map((each) => [each.id, each]),
  );
  readonly messages: (Message & { options: Record<string, unknown> })[] = [];
  /** The methods called, in their order. */
  readonly calls: string[] = [];
  scopes = [
    'chat:write',
    'files:write',
    'channels:read',
    'channels:history',
    'groups:read',
    'groups:history',
  ];
  readonly files = new Map<string, SlackFile>();
  /** How many messages with pictures are refused because Slack is still processing the pictures. */
  refusesPictures = 0;
  /** After this many reads of the history, completed files are shared there. Null: at once. */
  sharesAfterReads: number | null = 0;
  private unshared: { reads: number; message: Message; options: Record<string, unknown> }[] = [];
  /** Why the token is refused. Absent: the token is good. */
  tokenFault: string | undefined;
  readonly botId = 'B0FANFARE1';
  /** Answers to the next calls, instead of Slack's own. Undefined: Slack's own answer. */
  readonly answers: (Response | undefined)[] = [];
  /** The limit is 15 for apps that are sold outside Slack's Marketplace. */
  maxPage = 999;
  private lastMicros = 0;
  private origin = '';

  async answer(request: Request): Promise<Response> {
    const given = this.answers.shift();
    if (given) return given;
    try {
      const taken = await this.take(request);
      return taken instanceof Response ? taken : this.reply(taken);
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error;
      return this.reply({ ok: false, error: error.message, ...error.more });
    }
  }

  refuse(kind: RefusalKind): Response {
    switch (kind) {
      case 'limited':
        return this.reply({ ok: false, error: 'ratelimited' }, { status: 429 });
      case 'limited_with_retry_after':
        return this.reply(
          { ok: false, error: 'ratelimited' },
          { status: 429, headers: { 'retry-after': '1' } },
        );
      case 'unavailable':
        return this.reply({ ok: false, error: 'service_unavailable' }, { status: 503 });
      case 'error':
        return this.reply({ ok: false, error: 'internal_error' });
      case 'rejected':
        return this.reply({ ok: false, error: 'slack_connect_lists_sharing_blocked' });
    }
  }

  /** Refuses the token as Slack does once the app was removed from the workspace. */
  revokeToken(): void {
    this.tokenFault = 'account_inactive';
  }

  /** Adds another author's message. */
  say(text: string, more: Partial<Message> = {}): string {
    const ts = this.nextTs();
    const said = { type: 'message', subtype: 'bot_message', bot_id: 'B0STRANGER' } as const;
    this.messages.push({ ...said, channel: this.channel, ts, text, ...more, options: {} });
    return ts;
  }

  listPosts(): PublicPost[] {
    const unshared = this.unshared.map(({ message, options }) => ({ ...message, options }));
    return [...this.messages, ...unshared].map(({ ts, text, thread_ts, options, files }) => {
      const { blocks = [], mrkdwn } = options as { blocks?: unknown[]; mrkdwn?: boolean };
      const pictures = listFiles(blocks);
      const shown = files ?? pictures;
      const written = mrkdwn === true ? text : unescape(text);
      return {
        id: ts,
        text: pictures.length > 0 ? readText(blocks) : written,
        replyTo: thread_ts ?? null,
        options,
        ...(shown.length > 0 && {
          media: shown.map(({ id }) => sha256(this.files.get(id)!.bytes!)),
        }),
      };
    });
  }

  private reply(body: object, init: ResponseInit = {}): Response {
    const response = Response.json(body, init);
    response.headers.set('x-oauth-scopes', this.scopes.join(','));
    return response;
  }

  /** Slack's upload service takes the raw bytes, and no token. */
  private async takeUpload(request: Request, pathname: string): Promise<Response> {
    const file = [...this.files.values()].find(({ ticket }) => pathname === `/upload/v1/${ticket}`);
    const bytes = Buffer.from(await request.arrayBuffer());
    const isRight =
      file?.bytes === undefined &&
      file?.size === bytes.length &&
      request.method === 'POST' &&
      !request.headers.has('authorization');
    if (!isRight) return new Response('upload failed', { status: 400 });
    file.bytes = bytes;
    file.mimetype = request.headers.get('content-type') ?? '';
    return new Response(`OK - ${bytes.length}`);
  }

  private async take(request: Request): Promise<object | Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.startsWith('/upload/')) return this.takeUpload(request, pathname);
    const method = pathname.replace('/api/', '') as Method;
    this.calls.push(method);
    if (!(method in Arguments)) throw new SlackRefusal('unknown_method', { req_method: method });
    this.checkToken(request);
    if (!written.has(method) && request.method !== 'GET') throw new SlackRefusal('invalid_method');
    const given = written.has(method)
      ? await readBody(request)
      : Object.fromEntries(searchParams.entries());
    const parsed = Arguments[method].safeParse(given);
    if (!parsed.success) throw invalidArguments(parsed.error);
    this.origin = `http://${request.headers.get('host')}`;
    return this[method](parsed.data as never);
  }

  private checkToken(request: Request): void {
    const token = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    if (!token) throw new SlackRefusal('not_authed');
    if (token !== this.token) throw new SlackRefusal('invalid_auth');
    if (this.tokenFault) throw new SlackRefusal(this.tokenFault);
  }

  private requireScope(...needed: string[]): void {
    if (needed.some((scope) => this.scopes.includes(scope))) return;
    throw new SlackRefusal('missing_scope', {
      needed: needed.join(','),
      provided: this.scopes.join(','),
    });
  }

  /** Only its members can see a private channel. */
  private findChannel(id: string): Channel {
    const found = this.channels.get(id);
    if (!found || (found.is_private && !found.is_member))
      throw new SlackRefusal('channel_not_found');
    return found;
  }

  'auth.test'(): object {
    const { id: team_id, name: team, url } = this.team;
    const user = { user: 'fanfare', user_id: 'U0FANFARE1' };
    return { ok: true, url, team, team_id, ...user, bot_id: this.botId };
  }

  'conversations.info'({ channel: id }: ArgumentsOf<'conversations.info'>): object {
    this.requireScope('channels:read', 'groups:read', 'mpim:read', 'im:read');
    const { is_private, ...shown } = this.findChannel(id);
    this.requireScope(is_private ? 'groups:read' : 'channels:read');
    return { ok: true, channel: { ...shown, is_channel: true, is_private } };
  }

  'chat.postMessage'(given: ArgumentsOf<'chat.postMessage'>): object {
    this.requireScope('chat:write');
    const { channel: id, text = '', thread_ts, metadata, ...options } = given;
    const { is_archived, is_member } = this.findChannel(id);
    if (is_archived) throw new SlackRefusal('is_archived');
    if (!is_member && !this.scopes.includes('chat:write.public')) {
      throw new SlackRefusal('not_in_channel');
    }
    if (text === '' && !options.blocks) throw new SlackRefusal('no_text');
    checkBlocks(options.blocks ?? []);
    this.checkPictures(options.blocks ?? []);
    if (thread_ts !== undefined) {
      this.findRoot(id, thread_ts);
    }
    const [first] = inParts(text).map((part) => {
      const message: Message = {
        type: 'message',
        subtype: options.reply_broadcast ? 'thread_broadcast' : 'bot_message',
        bot_id: this.botId,
        channel: id,
        ts: this.nextTs(),
        text: part,
        ...(thread_ts !== undefined && { thread_ts }),
        ...(metadata && { metadata }),
      };
      this.messages.push({ ...message, options });
      return message;
    });
    return { ok: true, channel: id, ts: first!.ts, message: first };
  }

  /**
   * A text without blocks removes the blocks of the message, and is shown as mrkdwn.
   * https://docs.slack.dev/reference/methods/chat.update
   */
  'chat.update'(given: ArgumentsOf<'chat.update'>): object {
    this.requireScope('chat:write');
    const { channel: id, ts, text, blocks, metadata: changed } = given;
    this.findChannel(id);
    const message = this.messages.find((each) => each.channel === id && each.ts === ts);
    if (!message) throw new SlackRefusal('message_not_found');
    if (message.bot_id !== this.botId) throw new SlackRefusal('cant_update_message');
    if (Array.from(text).length > charactersOfAMessage) throw new SlackRefusal('msg_too_long');
    checkBlocks(blocks ?? []);
    const { blocks: _, ...options } = message.options;
    message.options = { ...options, ...(blocks ? { blocks } : { mrkdwn: true }) };
    message.text = text;
    if (changed) message.metadata = changed;
    return { ok: true, channel: id, ts, text };
  }

  /** https://docs.slack.dev/reference/methods/chat.delete */
  'chat.delete'({ channel: id, ts }: ArgumentsOf<'chat.delete'>): object {
    this.requireScope('chat:write');
    this.findChannel(id);
    const at = this.messages.findIndex((each) => each.channel === id && each.ts === ts);
    if (at < 0) throw new SlackRefusal('message_not_found');
    if (this.messages[at]!.bot_id !== this.botId) throw new SlackRefusal('cant_delete_message');
    this.messages.splice(at, 1);
    return { ok: true, channel: id, ts };
  }

  /** Only the app that uploaded a file has access to it before it is shared. */
  private checkPictures(blocks: unknown[]): void {
    const named = listFiles(blocks);
    const isReady = named.length === 0 || this.refusesPictures === 0;
    if (!isReady) this.refusesPictures -= 1;
    const errors = named
      .filter(({ id }) => {
        const { isCompleted, mimetype = '' } = this.files.get(id) ?? {};
        return !isReady || !isCompleted || !pictureTypes.has(mimetype);
      })
      .map(({ at }) => `invalid slack file [json-pointer:/blocks/${at}/slack_file]`);
    if (errors.length > 0) throw invalidBlocks(errors);
  }

  'files.getUploadURLExternal'(given: ArgumentsOf<'files.getUploadURLExternal'>): object {
    this.requireScope('files:write');
    const { filename: name, length: size, alt_txt } = given;
    if (Array.from(alt_txt ?? '').length > maxAltText) throw new SlackRefusal('alt_txt_too_large');
    const id = `F${String(this.files.size + 1).padStart(9, '0')}`;
    const ticket = crypto.randomUUID();
    const file = { id, name, size, ticket, mimetype: '', isCompleted: false };
    this.files.set(id, { ...file, ...(alt_txt !== undefined && { alt_txt }) });
    return { ok: true, upload_url: `${this.origin}/upload/v1/${ticket}`, file_id: id };
  }

  'files.completeUploadExternal'(given: ArgumentsOf<'files.completeUploadExternal'>): object {
    this.requireScope('files:write');
    const { files: named, channel_id, thread_ts, initial_comment, blocks } = given;
    const files = named.map(({ id }) => {
      const file = this.files.get(id);
      // "This method can only be called once."
      if (!file?.bytes || file.isCompleted) throw new SlackRefusal('file_not_found');
      return file;
    });
    const shown = { ok: true, files: files.map(({ id, name: title }) => ({ id, title })) };
    // "If not specified the file will be private."
    if (channel_id === undefined) {
      for (const file of files) file.isCompleted = true;
      return shown;
    }
    const { is_archived, is_member } = this.findChannel(channel_id);
    if (is_archived) throw new SlackRefusal('is_archived');
    if (!is_member) throw new SlackRefusal('not_in_channel');
    if (thread_ts !== undefined) this.findRoot(channel_id, thread_ts);
    checkBlocks(blocks ?? []);
    for (const file of files) file.isCompleted = true;
    const message: Message = {
      type: 'message',
      bot_id: this.botId,
      channel: channel_id,
      ts: this.nextTs(),
      text: initial_comment ?? '',
      files: files.map(({ id, name, size, mimetype, alt_txt }) => ({
        id,
        name,
        size,
        mimetype,
        ...(alt_txt !== undefined && { alt_txt }),
      })),
      ...(thread_ts !== undefined && { thread_ts }),
    };
    // "If the initial_comment field is provided, the blocks field is ignored."
    const options = blocks && initial_comment === undefined ? { blocks } : {};
    // As people report: https://github.com/slackapi/python-slack-sdk/issues/1818
    if (files.some(({ alt_txt }) => alt_txt !== undefined)) return shown;
    if (this.sharesAfterReads !== null) {
      this.unshared.push({ reads: this.sharesAfterReads, message, options });
      return shown;
    }
    this.messages.push({ ...message, options });
    const share = { [channel_id]: [{ ts: message.ts, ...(thread_ts && { thread_ts }) }] };
    const { is_private } = this.channels.get(channel_id)!;
    const shares = is_private ? { private: share } : { public: share };
    return { ...shown, files: shown.files.map((file) => ({ ...file, shares })) };
  }

  private share(): void {
    const due = this.unshared.filter(({ reads }) => reads === 0);
    this.unshared = this.unshared.filter(({ reads }) => reads > 0);
    for (const each of this.unshared) each.reads -= 1;
    for (const { message, options } of due) this.messages.push({ ...message, options });
  }

  private findRoot(channelId: string, threadTs: string): void {
    const root = this.messages.find(({ channel, ts }) => channel === channelId && ts === threadTs);
    if (!root) throw new SlackRefusal('thread_not_found');
    if (root.thread_ts) throw new SlackRefusal('cannot_reply_to_message');
  }

  'chat.getPermalink'({ channel: id, message_ts }: ArgumentsOf<'chat.getPermalink'>): object {
    this.findChannel(id);
    const found = this.messages.find(({ channel, ts }) => channel === id && ts === message_ts);
    if (!found) throw new SlackRefusal('message_not_found');
    const link = `${this.team.url}archives/${id}/p${message_ts.replace('.', '')}`;
    const thread = found.thread_ts ? `?thread_ts=${found.thread_ts}&cid=${id}` : '';
    return { ok: true, channel: id, permalink: `${link}${thread}` };
  }

  'conversations.history'(given: ArgumentsOf<'conversations.history'>): object {
    this.requireHistory(given.channel);
    const shown = this.messages
      .filter(({ channel }) => channel === given.channel)
      .filter(({ thread_ts, subtype }) => !thread_ts || subtype === 'thread_broadcast');
    return this.page(shown.toReversed(), given);
  }

  'conversations.replies'(given: ArgumentsOf<'conversations.replies'>): object {
    this.requireHistory(given.channel);
    const here = this.messages.filter(({ channel }) => channel === given.channel);
    const named = here.find(({ ts }) => ts === given.ts);
    if (!named) throw new SlackRefusal('thread_not_found');
    const root = named.thread_ts ?? named.ts;
    const replies = here.filter(({ thread_ts }) => thread_ts === root);
    return this.page(
      replies,
      given,
      here.find(({ ts }) => ts === root),
    );
  }

  private requireHistory(id: string): void {
    this.share();
    this.requireScope('channels:history', 'groups:history', 'mpim:history', 'im:history');
    const { is_private, is_member } = this.findChannel(id);
    this.requireScope(is_private ? 'groups:history' : 'channels:history');
    if (!is_member) throw new SlackRefusal('not_in_channel');
  }

  /** `first`: a message that begins every page. */
  private page(
    all: Message[],
    given: Omit<ArgumentsOf<'conversations.history'>, 'channel'>,
    first?: Message,
  ): object {
    const { oldest = '0', latest = '9999999999', inclusive, cursor, limit } = given;
    const within = all.filter(({ ts }) => {
      if (ts === oldest || ts === latest) return inclusive;
      return Number(ts) > Number(oldest) && Number(ts) < Number(latest);
    });
    const start = cursor === undefined ? 0 : readCursor(cursor);
    const end = start + Math.min(limit, this.maxPage);
    const hasMore = end < within.length;
    const messages = [...(first ? [first] : []), ...within.slice(start, end)].map((message) => {
      const { channel: _, metadata, ...shown } = message as Message & { options?: unknown };
      delete shown.options;
      if (!metadata) return shown;
      const { event_type } = metadata;
      return { ...shown, metadata: given.include_all_metadata ? metadata : { event_type } };
    });
    const next_cursor = hasMore ? Buffer.from(`next:${end}`).toString('base64') : '';
    return { ok: true, messages, has_more: hasMore, response_metadata: { next_cursor } };
  }

  private nextTs(): string {
    this.lastMicros = Math.max(Date.now() * 1_000, this.lastMicros + 1);
    const digits = String(this.lastMicros);
    return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  }
}

function channel(id: string, name: string, change: Partial<Channel> = {}): Channel {
  return { id, name, is_private: false, is_archived: false, is_member: true, ...change };
}

async function readBody(request: Request): Promise<unknown> {
  if (request.method !== 'POST') throw new SlackRefusal('invalid_method');
  const text = await request.text();
  const type = request.headers.get('content-type');
  if (type === 'application/x-www-form-urlencoded') {
    return Object.fromEntries(new URLSearchParams(text));
  }
  if (text === '' && type === null) return {};
  if (type === null) throw new SlackRefusal('missing_post_type');
  if (!/^application\/json\b/.test(type)) throw new SlackRefusal('invalid_post_type');
  if (!/;\s*charset=utf-8$/i.test(type)) throw new SlackRefusal('invalid_charset');
  try {
    return JSON.parse(text);
  } catch {
    throw new SlackRefusal('invalid_json');
  }
}

function invalidArguments(error: z.ZodError): SlackRefusal {
  const messages = error.issues.map(
    ({ path, message }) => `[ERROR] ${message} [json-pointer:/${path.join('/')}]`,
  );
  return new SlackRefusal('invalid_arguments', { response_metadata: { messages } });
}

function checkBlocks(blocks: unknown[]): void {
  const errors = findBlockErrors(blocks);
  if (errors.length > 0) throw invalidBlocks(errors);
}

function invalidBlocks(errors: string[]): SlackRefusal {
  const messages = errors.map((error) => `[ERROR] ${error}`);
  return new SlackRefusal('invalid_blocks', { errors, response_metadata: { messages } });
}

function inParts(text: string): string[] {
  const characters = Array.from(text);
  const parts = [characters.splice(0, charactersOfAMessage).join('')];
  while (characters.length > 0) parts.push(characters.splice(0, charactersOfAMessage).join(''));
  return parts;
}

function readCursor(cursor: string): number {
  const position = /^next:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString())?.[1];
  if (position === undefined) throw new SlackRefusal('invalid_cursor');
  return Number(position);
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
