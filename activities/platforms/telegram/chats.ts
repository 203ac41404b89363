// Finds the chat that a bot posts to, and checks its right to post.
import { z } from 'zod';
import { pasted } from '../credential-fields.ts';
import type { RefreshedCredentials } from '../platform.ts';
import { PlatformError } from '../platform-error.ts';
import { wrongCredential } from '../wrong-credential.ts';
import { newChatIdOf, type Bot } from './bot-api.ts';

/** The form is strict, because the token becomes part of a URL. */
const botToken = /^[1-9]\d*:[\w-]{1,80}$/;
const chatId = /^(@\w{1,64}|-[1-9]\d{0,15})$/;

export const ConnectInput = z
  .strictObject({
    bot_token: pasted(botToken, 'must be a bot token, such as 123456:ABC-DEF1234ghIkl').meta({
      title: 'Bot token',
      'x-secret': true,
      description: 'Send /newbot to @BotFather in Telegram, or /token for a bot that you have.',
    }),
    chat: pasted(chatId, 'must look like @my_channel or -1001234567890').meta({
      title: 'Channel or group',
      description: 'Public name, such as @my_channel, or ID, such as -1001234567890.',
    }),
  })
  .meta({
    description:
      'Create a bot with @BotFather. Add it to your group, or to your channel as an administrator who may post messages.',
  });

/** @see https://core.telegram.org/bots/api#chatfullinfo */
const Chat = z.object({
  id: z.int(),
  type: z.string(),
  title: z.string().optional(),
  username: z.string().optional(),
  permissions: z.object({ can_send_messages: z.boolean().optional() }).optional(),
});
type Chat = z.infer<typeof Chat>;

/** @see https://core.telegram.org/bots/api#chatmember */
const Member = z.object({
  status: z.string(),
  is_member: z.boolean().optional(),
  can_post_messages: z.boolean().optional(),
  can_send_messages: z.boolean().optional(),
});

function asChatError(error: unknown): never {
  const isRefusal = error instanceof PlatformError && /^(rejected|reauthorize)$/.test(error.kind);
  if (!isRefusal) throw error;
  const message = `${error.message}. Check the name, and add the bot to the chat.`;
  throw new PlatformError('rejected', message, { ...error.options, field: 'chat' });
}

/** Throws if the bot can't post. */
export async function findPostableChat(bot: Bot, chatId: string): Promise<Chat> {
  const me = await bot('getMe', {}, z.object({ id: z.int() }));
  const chat = await findChat(bot, chatId).catch(asChatError);
  const params = { chat_id: chat.id, user_id: me.id };
  const member = await bot('getChatMember', params, Member).catch(asChatError);
  const fault = findFault(chat, member);
  if (fault !== undefined) throw wrongCredential('chat', fault);
  return chat;
}

/** If a group became a supergroup, continues with the supergroup. */
export async function findChat(bot: Bot, chatId: string): Promise<Chat> {
  const getChat = (chat_id: string | number) => bot('getChat', { chat_id }, Chat);
  const chat = await getChat(chatId.startsWith('@') ? chatId : Number(chatId));
  if (chat.type !== 'group') return chat;
  // The old group can still be read. Only a call about its members names the supergroup:
  // `check_chat_access` of https://github.com/tdlib/telegram-bot-api.
  try {
    await bot('getChatMemberCount', { chat_id: chat.id }, z.int());
    return chat;
  } catch (error) {
    const newId = newChatIdOf(error);
    if (newId === undefined) throw error;
    return getChat(newId);
  }
}

export function describeChat({ id, title, username }: Chat, token: string) {
  return {
    externalAccountId: String(id),
    accountName: username === undefined ? (title ?? String(id)) : `@${username}`,
    credentials: { bot_token: token, chat: String(id) },
    tokenExpiresAt: null,
  } satisfies RefreshedCredentials;
}

/** The reason why the bot can't post in the chat. */
function findFault(chat: Chat, member: z.infer<typeof Member>): string | undefined {
  const isAdministrator = member.status === 'administrator';
  switch (chat.type) {
    case 'channel':
      if (isAdministrator && member.can_post_messages) return undefined;
      return 'The bot must be an administrator of the channel with the right to post messages.';
    case 'group':
    case 'supergroup': {
      const mayMembers = chat.permissions?.can_send_messages !== false;
      if (isAdministrator || (member.status === 'member' && mayMembers)) return undefined;
      // A restricted bot has its own permissions.
      if (member.is_member && member.can_send_messages) return undefined;
      return 'The bot must be a member of the group who may send messages.';
    }
    default:
      return 'A bot can post only to a channel or a group.';
  }
}
