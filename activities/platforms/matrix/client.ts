// Calls to a homeserver: their answers checked, their errors mapped.
import { z } from 'zod';
import { callNetwork, isSuccess, type CallKind, type NetworkAnswer } from '../json-client.ts';
import type { PlatformError } from '../platform-error.ts';
import type { Credentials, Fetch } from '../platform.ts';
import { toRefusal, toSurprise, type Verdict } from '../refusal.ts';

interface Call<T> {
  /** `server` and `access_token`. */
  credentials: Credentials;
  /** Below `/_matrix/client/v3`. */
  path: string;
  method?: 'PUT';
  json?: unknown;
  kind: CallKind;
  answer: z.ZodType<T>;
  signal: AbortSignal;
}

export type Send = <T>(call: Call<T>) => Promise<T>;

export function createSend(fetch: Fetch): Send {
  return async ({ credentials, path, answer: schema, ...call }) => {
    const { server = '', access_token: token = '' } = credentials;
    const answer = await callNetwork(fetch, {
      ...call,
      url: `${server}/_matrix/client/v3${path}`,
      headers: { authorization: `Bearer ${token}` },
    });
    if (!isSuccess(answer)) throw toError(answer, call.kind, token);
    const parsed = schema.safeParse(answer.body);
    if (!parsed.success) throw toSurprise('Matrix', call.kind);
    return parsed.data;
  };
}

/** @see https://spec.matrix.org/v1.18/client-server-api/#standard-error-response */
const Fault = z.object({
  errcode: z.string(),
  error: z.string().default(''),
  retry_after_ms: z.number().optional(),
});

const verdicts: Record<string, Verdict> = {
  M_UNKNOWN_TOKEN: 'revoked',
  M_MISSING_TOKEN: 'revoked',
  M_USER_DEACTIVATED: 'revoked',
  M_LIMIT_EXCEEDED: 'rate_limited',
};

function toError(answer: NetworkAnswer, kind: CallKind, token: string): PlatformError {
  const { errcode, error, retry_after_ms } = Fault.safeParse(answer.body).data ?? {};
  return toRefusal({
    network: 'Matrix',
    kind,
    answer,
    code: errcode,
    message: error,
    verdicts,
    secrets: [token],
    retryAfterMs: retry_after_ms,
  });
}
