// Calls to Slack's Web API. It answers most refusals with status 200 and `ok: false`.
import { z } from 'zod';
import { isSuccess, type NetworkAnswer } from '../json-client.ts';
import { createApi, withToken } from '../network-api.ts';
import type { Fetch } from '../platform.ts';
import type { Explanation, Meaning } from '../refusal.ts';

const Refused = z.object({
  ok: z.literal(false),
  error: z.string(),
  needed: z.string().optional(),
  response_metadata: z.object({ messages: z.array(z.string()).optional() }).optional(),
});

// The codes of https://docs.slack.dev/reference/methods/chat.postMessage#errors. Others mean `rejected`.
const meaningOfCode = new Map<string, Meaning>([
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

/** For codes that Slack sends without a message. */
export const meanings = new Map([
  ['channel_not_found', 'the channel is unknown, or private and the app is not a member'],
  ['not_in_channel', 'the app is not a member of the channel; invite it'],
  ['is_archived', 'the channel is archived'],
]);

export const createSlackApi = (fetch: Fetch, apiUrl: string) =>
  createApi(fetch, {
    network: 'Slack',
    open: ({ bot_token }) => withToken(`${apiUrl}/`, bot_token),
    isRefusal: (answer) => !isSuccess(answer) || Refused.safeParse(answer.body).success,
    readRefusal,
  });

function readRefusal(answer: NetworkAnswer): Explanation {
  const refused = Refused.safeParse(answer.body).data;
  const { error: code = '', needed, response_metadata: more } = refused ?? {};
  const words = more?.messages?.map((text) => text.replace('[ERROR] ', '')).join('; ');
  return {
    code,
    message: needed ? `needs ${needed}` : words || meanings.get(code),
    meaning: meaningOfCode.get(code) ?? (isSuccess(answer) ? 'rejected' : undefined),
  };
}
