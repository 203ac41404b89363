// Slack: posts as messages of an app's bot in one channel.
import { z } from 'zod';
import { slack, toText } from '../../../schema/platforms/slack.ts';
import type { Ask } from '../network-api.ts';
import { goneIf, hasCode, isThere, notForGood, PlatformError } from '../platform-error.ts';
import type { CommitOutcome, Fetch, Platform, ReconcileOutcome, Target } from '../platform.ts';
import { preparedAs, publishedAs } from '../results.ts';
import { toBlocks } from './blocks.ts';
import { createSlackApi } from './client.ts';
import { connect, ConnectInput } from './connect.ts';
import { editMessage, isMessageEdited } from './edit-message.ts';
import { completePrivately, completeUpload, isShared, readFiles, uploadFile } from './files.ts';
import { headers, toMetadata } from './message.ts';

/** Slack's clock may be behind ours. */
const clockErrorMs = 60_000;
const maxPages = 5;
const processedWithinMs = 30_000;

const Posted = z.object({ ts: z.string().regex(slack.rules.replies.id) });
const Linked = z.object({ permalink: z.url() });
const Metadata = z.object({ event_payload: z.object({ result_id: z.string() }) });
const Message = z.object({
  ts: z.string(),
  text: z.string().default(''),
  metadata: z.unknown().optional(),
  // A deleted file has neither a name nor a size.
  files: z
    .array(z.object({ id: z.string(), name: z.string().nullish(), size: z.int().optional() }))
    .default([]),
});
type Message = z.infer<typeof Message>;
const Page = z.object({
  messages: z.array(Message),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
});

export function createSlack({ fetch, apiUrl }: { fetch: Fetch; apiUrl: string }): Platform {
  const open = createSlackApi(fetch, apiUrl);
  return {
    definition: slack,
    connect: [
      {
        kind: 'form',
        fields: ConnectInput,
        run: (credentials, signal) => connect(open(credentials, signal), credentials),
      },
    ],

    async prepare(target, signal) {
      const ask = open(target.credentials, signal);
      const threadTs = await findThread(ask, target);
      const thread = threadTs === undefined ? {} : { threadTs };
      const uploaded = readFiles(target);
      const next = target.media[uploaded.length];
      if (!next) return preparedAs({ ...target.state, ...thread });
      const file = await uploadFile(ask, fetch, next, signal);
      const isPicture = !isShared(target);
      if (isPicture) await completePrivately(ask, file);
      const files = [...uploaded, file];
      const state = { ...thread, files, ...(isPicture && { uploadedAt: Date.now() }) };
      return files.length < target.media.length
        ? { outcome: 'more', state, waitMs: 0 }
        : preparedAs(state);
    },

    async commit(target, signal) {
      const { resultId, caption, credentials, platformOptions } = target;
      const { reply_broadcast, ...options } = platformOptions;
      const ask = open(credentials, signal);
      const files = readFiles(target);
      if (files.length < target.media.length) return { outcome: 'stale' };
      const thread = await findThread(ask, target);
      if (isShared(target)) return shareFiles(ask, target, files, thread);
      const hasPictures = files.length > 0;
      const message = {
        mrkdwn: false,
        ...options,
        channel: credentials['channel'],
        // The blocks also show the text. Notifications and screen readers use `text`.
        text: toText(caption, options) || undefined,
        ...(hasPictures && { blocks: toBlocks(target, files) }),
        metadata: toMetadata(resultId),
        ...(thread !== undefined && { thread_ts: thread, reply_broadcast }),
      };
      const call = { kind: 'commit', json: message, headers } as const;
      const asked = ask('chat.postMessage', Posted, call);
      const { body } = await (hasPictures ? asked.catch(awaitPictures(target)) : asked);
      return toPublished(target, body.ts, thread);
    },

    /** Waits until Slack has shared the files. */
    async confirm(target, signal) {
      const found = await findPost(open(target.credentials, signal), target).catch(notForGood);
      return found.outcome === 'published' ? found : { outcome: 'accepted', state: target.state };
    },

    reconcile: (target, signal) => findPost(open(target.credentials, signal), target),

    unpublish: {
      /** @see https://docs.slack.dev/reference/methods/chat.delete */
      async remove({ credentials, externalId: ts }, signal) {
        const json = { channel: credentials['channel'], ts };
        const call = { kind: 'commit', json, headers } as const;
        const asked = open(credentials, signal)('chat.delete', z.unknown(), call);
        await asked.catch(goneIf('message_not_found'));
      },

      /** @see https://docs.slack.dev/reference/methods/chat.getPermalink */
      exists({ credentials, externalId }, signal) {
        const query = { channel: credentials['channel']!, message_ts: externalId };
        const asked = open(credentials, signal)('chat.getPermalink', Linked, { query });
        return isThere(asked.catch(goneIf('message_not_found')));
      },
    },

    edit: {
      apply: (post, signal) => editMessage(open(post.credentials, signal), post),
      isApplied: (post, signal) => isMessageEdited(open(post.credentials, signal), post),
    },

    checks: {
      inspect: ({ credentials }, signal) => connect(open(credentials, signal), credentials),
    },
  };
}

/**
 * Threads have one level. So a reply to a reply goes to the message that starts the thread, and the permalink
 * names that message.
 * @see https://docs.slack.dev/reference/methods/chat.getPermalink
 */
async function findThread(ask: Ask, target: Target): Promise<string | undefined> {
  const { replyTo, state, credentials } = target;
  if (replyTo === null) return undefined;
  if (typeof state['threadTs'] === 'string') return state['threadTs'];
  const query = { channel: credentials['channel']!, message_ts: replyTo };
  const { permalink } = (await ask('chat.getPermalink', Linked, { query })).body;
  return new URL(permalink).searchParams.get('thread_ts') ?? replyTo;
}

/**
 * Slack processes a picture after its upload. Until the picture is processed, Slack refuses the message:
 * "invalid slack file".
 * @see https://github.com/slackapi/python-slack-sdk/issues/1521
 */
const awaitPictures = (target: Target) => (error: unknown) => {
  if (!hasCode(error, 'invalid_blocks') || !/slack.?file/i.test(error.message)) throw error;
  const { uploadedAt } = target.state;
  const isEarly = typeof uploadedAt === 'number' && Date.now() - uploadedAt < processedWithinMs;
  if (isEarly) throw error.as('unavailable');
  const message = `Slack did not accept a picture within 30 seconds of its upload: ${error.message}`;
  throw new PlatformError('rejected', message, error.options);
};

async function shareFiles(
  ask: Ask,
  target: Target,
  files: readonly string[],
  thread: string | undefined,
): Promise<CommitOutcome> {
  try {
    const ts = await completeUpload(ask, target, files, thread);
    // Slack usually shares the files later.
    if (ts === undefined) return { outcome: 'accepted', state: target.state };
    return toPublished(target, ts, thread);
  } catch (error) {
    if (!hasCode(error, 'file_not_found')) throw error;
    // An upload can be completed only once, so an earlier commit may have completed it.
    const found = await findPost(ask, target);
    return found.outcome === 'published' ? found : { outcome: 'stale' };
  }
}

/** `unknown`: there are too many messages, or the IDs of shared files were lost. */
async function findPost(ask: Ask, target: Target): Promise<ReconcileOutcome> {
  const { credentials, dueAt } = target;
  const hasIds = !isShared(target) || readFiles(target).length === target.media.length;
  const thread = await findThread(ask, target);
  const method = thread === undefined ? 'conversations.history' : 'conversations.replies';
  const query: Record<string, string | undefined> = {
    channel: credentials['channel']!,
    oldest: ((dueAt.getTime() - clockErrorMs) / 1_000).toFixed(6),
    include_all_metadata: 'true',
    limit: '200', // The most that Slack recommends.
    ts: thread,
  };
  for (let page = 0; page < maxPages; page++) {
    const { messages, response_metadata } = (await ask(method, Page, { query })).body;
    const found = messages.find((message) => isSame(message, target));
    if (found) return toPublished(target, found.ts, thread);
    if (!response_metadata?.next_cursor) return { outcome: hasIds ? 'absent' : 'unknown' };
    query['cursor'] = response_metadata.next_cursor;
  }
  return { outcome: 'unknown' };
}

/**
 * Compares the metadata. Messages with shared files have no metadata, so the IDs of the files are compared.
 * If the IDs were lost, the names and sizes are compared.
 */
function isSame({ metadata, text, files }: Message, target: Target): boolean {
  const { media, caption, platformOptions, resultId } = target;
  if (!isShared(target)) {
    return Metadata.safeParse(metadata).data?.event_payload.result_id === resultId;
  }
  const ids = readFiles(target);
  if (ids.length === media.length) return files.some(({ id }) => ids.includes(id));
  const isSameText = plain(text) === plain(toText(caption, platformOptions));
  return (
    isSameText &&
    files.length === media.length &&
    media.every((each, at) => files[at]!.name === each.filename && files[at]!.size === each.bytes)
  );
}

const plain = (text: string) => text.replaceAll(/\s/g, '');

/** The URL is the same as that of chat.getPermalink. */
function toPublished({ credentials, traits }: Target, ts: string, thread: string | undefined) {
  const channel = credentials['channel']!;
  const query = thread === undefined ? '' : `?thread_ts=${thread}&cid=${channel}`;
  const path = `archives/${channel}/p${ts.replace('.', '')}${query}`;
  return publishedAs(ts, `${String(traits['workspaceUrl'])}${path}`, 'private');
}
