// Slack: posts as messages of an app's bot in one channel.
import { z } from 'zod';
import { slack, toText } from '../../../schema/platforms/slack.ts';
import type { Ask } from '../network-api.ts';
import type { Fetch, Platform, Published, ReconcileOutcome, Target } from '../platform.ts';
import { preparedAs } from '../results.ts';
import { createSlackApi } from './client.ts';
import { connect, ConnectInput } from './connect.ts';

const eventType = 'fanfare_post';
/** Slack's clock may be behind ours. */
const clockErrorMs = 60_000;
const maxPages = 5;
const headers = { 'content-type': 'application/json; charset=utf-8' };

const Posted = z.object({ ts: z.string().regex(slack.rules.replies.id) });
const Linked = z.object({ permalink: z.url() });
const Metadata = z.object({ event_payload: z.object({ result_id: z.string() }) });
const Page = z.object({
  messages: z.array(z.object({ ts: z.string(), metadata: z.unknown().optional() })),
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
      const threadTs = await findThread(open(target.credentials, signal), target);
      return preparedAs(threadTs === undefined ? {} : { threadTs });
    },

    async commit(target, signal) {
      const { resultId, caption, credentials, platformOptions } = target;
      const { reply_broadcast, ...options } = platformOptions;
      const ask = open(credentials, signal);
      const thread_ts = await findThread(ask, target);
      const message = {
        mrkdwn: false,
        ...options,
        channel: credentials['channel'],
        text: toText(caption, options),
        metadata: { event_type: eventType, event_payload: { result_id: resultId } },
        ...(thread_ts !== undefined && { thread_ts, reply_broadcast }),
      };
      const call = { kind: 'commit', json: message, headers } as const;
      const { body } = await ask('chat.postMessage', Posted, call);
      return { outcome: 'published', published: toPublished(target, body.ts, thread_ts) };
    },

    reconcile: (target, signal) => findPost(open(target.credentials, signal), target),
  };
}

/**
 * Threads have one level, so a reply to a reply goes to the message that starts the thread, which the
 * permalink names. @see https://docs.slack.dev/reference/methods/chat.getPermalink
 */
async function findThread(ask: Ask, target: Target): Promise<string | undefined> {
  const { replyTo, state, credentials } = target;
  if (replyTo === null) return undefined;
  if (typeof state['threadTs'] === 'string') return state['threadTs'];
  const query = { channel: credentials['channel']!, message_ts: replyTo };
  const { permalink } = (await ask('chat.getPermalink', Linked, { query })).body;
  return new URL(permalink).searchParams.get('thread_ts') ?? replyTo;
}

async function findPost(ask: Ask, target: Target): Promise<ReconcileOutcome> {
  const { credentials, dueAt, resultId } = target;
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
    const found = messages.find(
      ({ metadata }) => Metadata.safeParse(metadata).data?.event_payload.result_id === resultId,
    );
    if (found) return { outcome: 'published', published: toPublished(target, found.ts, thread) };
    if (!response_metadata?.next_cursor) return { outcome: 'absent' };
    query['cursor'] = response_metadata.next_cursor;
  }
  return { outcome: 'unknown' };
}

/** The URL is that of chat.getPermalink. */
function toPublished({ credentials, traits }: Target, ts: string, thread?: string): Published {
  const channel = credentials['channel']!;
  const query = thread === undefined ? '' : `?thread_ts=${thread}&cid=${channel}`;
  const path = `archives/${channel}/p${ts.replace('.', '')}${query}`;
  const url = `${String(traits['workspaceUrl'])}${path}`;
  return { externalId: ts, url, visibility: 'private' };
}
