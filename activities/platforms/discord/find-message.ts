// Looks for a bot's message after an unknown outcome.
import { z } from 'zod';
import type { Target } from '../platform.ts';
import type { Send } from './client.ts';

const Message = z.object({
  id: z.string(),
  channel_id: z.string(),
  content: z.string(),
  author: z.object({ id: z.string() }),
  nonce: z.union([z.string(), z.number()]).nullish(),
  message_reference: z.object({ message_id: z.string().nullish() }).nullish(),
});
type Message = z.infer<typeof Message>;
const Channel = z.object({ last_message_id: z.string().regex(/^\d+$/).nullish() });

/** The most that Discord lists at once. */
const pageSize = 100;
/** How far the clocks may differ. */
const clockErrorMs = 5_000;
const discordEpochMs = 1_420_070_400_000;

/** `unknown`: the bot may not read the history, or too much was posted since. */
export async function findMessage(
  send: Send,
  target: Target,
  nonce: string,
  signal: AbortSignal,
): Promise<Message | 'absent' | 'unknown'> {
  const { credentials, dueAt } = target;
  const channel = `/channels/${credentials['channel_id']}`;
  const call = { kind: 'other', credentials, signal } as const;
  // https://docs.discord.com/developers/reference#snowflakes
  const start = BigInt(Math.max(dueAt.getTime() - clockErrorMs - discordEpochMs, 0)) << 22n;
  const { last_message_id } = (await send({ ...call, path: channel, answer: Channel })).body;
  const path = `${channel}/messages?after=${start}&limit=${pageSize}`;
  const { body: messages } = await send({ ...call, path, answer: z.array(Message) });
  const found = messages.find((message) => isSame(message, target, nonce));
  if (found) return found;
  // A bot that may not read the history gets an empty list.
  const isHidden = messages.length === 0 && BigInt(last_message_id ?? 0) > start;
  return isHidden || messages.length === pageSize ? 'unknown' : 'absent';
}

/** By the nonce where Discord shows it; otherwise by the author, the text and the message it answers. */
function isSame(message: Message, { traits, caption, replyTo }: Target, nonce: string): boolean {
  if (message.author.id !== traits['botId']) return false;
  if (message.nonce) return message.nonce === nonce;
  const answered = message.message_reference?.message_id ?? null;
  return answered === replyTo && plain(message.content) === plain(caption);
}

/** Discord trims texts and drops characters that don't show. */
const plain = (text: string) => text.replaceAll(/[\s\p{C}]/gu, '');
