// Calls to a Bot API server: a method of a bot, and its result.
import { z } from 'zod';
import type { NetworkAnswer } from '../json-client.ts';
import { multipart, type FilePart } from '../multipart.ts';
import { createApi } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { Fetch } from '../platform.ts';
import type { Explanation } from '../refusal.ts';

export type SendMethod =
  'sendMessage' | 'sendPhoto' | 'sendVideo' | 'sendAnimation' | 'sendMediaGroup';
type ChangeMethod = 'deleteMessage' | 'editMessageText' | 'editMessageCaption';
type Method =
  'getMe' | 'getChat' | 'getChatMember' | 'getChatMemberCount' | SendMethod | ChangeMethod;
/** The methods of one bot. If a call has files, every parameter is a field of a form. */
export type Bot = <T>(
  method: Method,
  params: object,
  result: z.ZodType<T>,
  files?: readonly FilePart[],
) => Promise<T>;

/** @see https://core.telegram.org/bots/api#making-requests */
export function createBotApi(fetch: Fetch, apiUrl: string) {
  const open = createApi(fetch, {
    network: 'Telegram',
    open: ({ bot_token: token = '' }) => ({ url: `${apiUrl}/bot${token}/`, secrets: [token] }),
    readRefusal,
  });
  return (bot_token: string, signal: AbortSignal): Bot =>
    async (method, params, result, files) => {
      const kind = method.startsWith('get') ? 'other' : 'commit';
      const expected = z.object({ ok: z.literal(true), result });
      const content = files ? { upload: multipart(toFields(params), files) } : { json: params };
      return (await open({ bot_token }, signal)(method, expected, { kind, ...content })).body
        .result;
    };
}

/** In a form, objects and lists are sent as JSON. */
function toFields(params: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

/** The new ID of a group that became a supergroup. */
export function newChatIdOf(error: unknown): number | undefined {
  const { providerError } = error instanceof PlatformError ? error.options : {};
  return z.object({ migrate_to_chat_id: z.int() }).safeParse(providerError).data
    ?.migrate_to_chat_id;
}

/** @see https://core.telegram.org/bots/api#responseparameters */
const Refused = z.object({
  error_code: z.int(),
  description: z.string(),
  parameters: z
    .object({ migrate_to_chat_id: z.int().optional(), retry_after: z.number().optional() })
    .default({}),
});

/** 401: the token is wrong or revoked. 403: the bot was removed, or the chat is gone. */
function readRefusal({ status, body }: NetworkAnswer): Explanation {
  const { error_code, description, parameters } = Refused.safeParse(body).data ?? {};
  const { migrate_to_chat_id, retry_after: seconds } = parameters ?? {};
  const isRevoked = [401, 403].includes(error_code ?? status);
  const explanation = {
    code: error_code === undefined ? undefined : String(error_code),
    message: description,
    retryAfterMs: seconds && seconds * 1_000,
  };
  if (migrate_to_chat_id === undefined) {
    return { ...explanation, meaning: isRevoked ? 'revoked' : undefined };
  }
  // After this error, a refresh moves the account to the new group.
  return { ...explanation, meaning: 'reauthorize', detail: { migrate_to_chat_id } };
}
