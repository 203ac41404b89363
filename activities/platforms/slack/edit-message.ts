// Edits the text of a message, and compares the message with the wanted text.
import { z } from 'zod';
import { toText } from '../../../schema/platforms/slack.ts';
import type { Ask } from '../network-api.ts';
import { goneIf, PlatformError } from '../platform-error.ts';
import type { PublishedPost } from '../platform.ts';
import { toRichText } from './blocks.ts';
import { headers, toMetadata } from './message.ts';

const Messages = z.object({
  messages: z.array(z.object({ ts: z.string(), text: z.string().default('') })),
});

/**
 * An edit takes no `mrkdwn`, so only blocks show a text as it was written. Without blocks, Slack shows `text` as
 * mrkdwn.
 * @see https://docs.slack.dev/reference/methods/chat.update
 */
export async function editMessage(ask: Ask, post: PublishedPost): Promise<void> {
  const { credentials, externalId: ts, caption, platformOptions, resultId } = post;
  const json = {
    channel: credentials['channel'],
    ts,
    text: toText(caption, platformOptions),
    ...(platformOptions['mrkdwn'] !== true && { blocks: toRichText(caption) }),
    metadata: toMetadata(resultId),
  };
  const call = { kind: 'commit', json, headers } as const;
  await ask('chat.update', z.unknown(), call).catch(goneIf('message_not_found'));
}

/** A message without a thread is returned alone. @see https://docs.slack.dev/reference/methods/conversations.replies */
export async function isMessageEdited(
  ask: Ask,
  { credentials, externalId: ts, caption, platformOptions }: PublishedPost,
): Promise<boolean> {
  const range = { oldest: ts, latest: ts, inclusive: 'true' };
  const query = { channel: credentials['channel']!, ts, ...range };
  const asked = ask('conversations.replies', Messages, { query });
  const { messages } = (await asked.catch(goneIf('thread_not_found'))).body;
  const message = messages.find((each) => each.ts === ts);
  if (message) return plain(message.text) === plain(toText(caption, platformOptions));
  throw new PlatformError('rejected', 'Slack no longer has the message.', { failsAs: 'post_gone' });
}

/** Slack marks links in a text that has none marked. */
const plain = (text: string) =>
  text.replaceAll(/<(https?:[^\s|>]+)(?:\|[^>]*)?>/g, '$1').replaceAll(/\s/g, '');
