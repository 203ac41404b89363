// Calls to Slack's Web API. It answers most refusals with status 200 and `ok: false`.
import { z } from 'zod';
import { callNetwork, isSuccess, type NetworkCall } from '../json-client.ts';
import type { Credentials, Fetch } from '../platform.ts';
import { toRefusal, toSurprise, type Verdict } from '../refusal.ts';

const Refused = z.object({
  ok: z.literal(false),
  error: z.string(),
  needed: z.string().optional(),
  response_metadata: z.object({ messages: z.array(z.string()).optional() }).optional(),
});

// By the codes of https://docs.slack.dev/reference/methods/chat.postMessage#errors; others refuse.
const verdicts = new Map<string, Verdict>([
  ['not_authed', 'reauthorize'],
  ['invalid_auth', 'reauthorize'],
  ['token_expired', 'reauthorize'],
  ['missing_scope', 'reauthorize'],
  ['account_inactive', 'revoked'],
  ['token_revoked', 'revoked'],
  ['ratelimited', 'rate_limited'],
  ['rate_limited', 'rate_limited'],
  // "It's possible some aspect of the operation succeeded before the error was raised."
  ['internal_error', 'lost'],
  ['fatal_error', 'lost'],
  ['service_unavailable', 'lost'],
  ['request_timeout', 'unavailable'],
  ['team_added_to_org', 'unavailable'],
  ['org_login_required', 'unavailable'],
]);

/** Of codes that come without words. */
export const meanings = new Map([
  ['channel_not_found', 'the channel is unknown, or private and the app is not a member'],
  ['not_in_channel', 'the app is not a member of the channel; invite it'],
  ['is_archived', 'the channel is archived'],
]);

export type SlackApi = ReturnType<ReturnType<typeof createSlackApi>>;

export function createSlackApi(fetch: Fetch, apiUrl: string) {
  return ({ bot_token: token = '' }: Credentials, signal: AbortSignal) => {
    async function ask<T>(schema: z.ZodType<T>, given: Omit<NetworkCall, 'signal'>) {
      const headers = { ...given.headers, authorization: `Bearer ${token}` };
      const call = { ...given, url: `${apiUrl}/${given.url}`, headers, signal };
      const answer = await callNetwork(fetch, call);
      const refused = Refused.safeParse(answer.body).data;
      if (!refused && isSuccess(answer)) {
        const { data } = schema.safeParse(answer.body);
        if (data === undefined) throw toSurprise('Slack', given.kind);
        return { data, headers: answer.headers };
      }
      const { error: code = '', needed, response_metadata: more } = refused ?? {};
      const words = more?.messages?.map((text) => text.replace('[ERROR] ', '')).join('; ');
      const verdict = verdicts.get(code) ?? (isSuccess(answer) && 'rejected');
      throw toRefusal({
        network: 'Slack',
        kind: given.kind,
        answer,
        code,
        message: needed ? `needs ${needed}` : words || meanings.get(code),
        verdicts: verdict ? { [code]: verdict } : {},
        secrets: [token],
      });
    }
    return {
      get: <T>(method: string, query: Record<string, string>, schema: z.ZodType<T>) =>
        ask(schema, { kind: 'other', url: `${method}?${new URLSearchParams(query).toString()}` }),
      post: <T>(method: 'auth.test' | 'chat.postMessage', json: object, schema: z.ZodType<T>) =>
        ask(schema, {
          kind: method === 'auth.test' ? 'other' : 'commit',
          url: method,
          headers: { 'content-type': 'application/json; charset=utf-8' },
          json,
        }),
    };
  };
}
