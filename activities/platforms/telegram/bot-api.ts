// Calls to a Bot API server: one method in, its result or a PlatformError out.
import { z } from 'zod';
import { callNetwork, isSuccess, type CallKind, type NetworkAnswer } from '../json-client.ts';
import { PlatformError } from '../platform-error.ts';
import type { Fetch } from '../platform.ts';
import { toRefusal, toSurprise, type Verdict } from '../refusal.ts';

type Method = 'getMe' | 'getChat' | 'getChatMember' | 'getChatMemberCount' | 'sendMessage';
/** The methods of one bot. */
export type Bot = <T>(method: Method, params: object, result: z.ZodType<T>) => Promise<T>;

/** The group became a supergroup, which has another id. */
export class ChatMovedError extends PlatformError {
  readonly newId: number;

  constructor(newId: number, { message, options }: PlatformError) {
    super('reauthorize', message, options);
    this.newId = newId;
  }
}

/** 401: the token is wrong or revoked. 403: the bot was removed, or the chat is gone. */
const verdicts: Record<string, Verdict> = { 401: 'revoked', 403: 'revoked' };

/** @see https://core.telegram.org/bots/api#responseparameters */
const Refused = z.object({
  error_code: z.int(),
  description: z.string(),
  parameters: z
    .object({ migrate_to_chat_id: z.int().optional(), retry_after: z.number().optional() })
    .default({}),
});

/** @see https://core.telegram.org/bots/api#making-requests */
export function createBotApi(fetch: Fetch, apiUrl: string) {
  return (token: string, signal: AbortSignal): Bot =>
    async (method, params, result) => {
      const kind = method === 'sendMessage' ? 'commit' : 'other';
      const url = `${apiUrl}/bot${token}/${method}`;
      const answer = await callNetwork(fetch, { url, json: params, kind, signal });
      if (!isSuccess(answer)) throw toError(answer, kind, token);
      const parsed = z.object({ ok: z.literal(true), result }).safeParse(answer.body);
      if (!parsed.success) throw toSurprise('Telegram', kind);
      return parsed.data.result;
    };
}

function toError(answer: NetworkAnswer, kind: CallKind, token: string): PlatformError {
  const refused = Refused.safeParse(answer.body).data;
  const { migrate_to_chat_id: newId, retry_after: seconds } = refused?.parameters ?? {};
  const error = toRefusal({
    network: 'Telegram',
    kind,
    answer,
    code: refused && String(refused.error_code),
    message: refused?.description,
    verdicts,
    // It is part of the URL.
    secrets: [token],
    retryAfterMs: seconds && seconds * 1_000,
  });
  return newId === undefined ? error : new ChatMovedError(newId, error);
}
