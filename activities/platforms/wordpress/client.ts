// Calls to the REST API of a WordPress site, and its refusals as PlatformErrors.
import { z } from 'zod';
import { callNetwork, isSuccess, type CallKind, type NetworkAnswer } from '../json-client.ts';
import type { PlatformError } from '../platform-error.ts';
import type { Credentials, Fetch } from '../platform.ts';
import { toRefusal, toSurprise } from '../refusal.ts';

export interface Call {
  /** `api` is `https://example.com/?rest_route=/`, which needs no rewrite rules, unlike `/wp-json/`. */
  credentials: Credentials;
  path: string;
  query?: Record<string, string>;
  method?: 'DELETE';
  json?: unknown;
  kind?: CallKind;
  signal: AbortSignal;
}

/** @see https://developer.wordpress.org/rest-api/using-the-rest-api/authentication/ */
export function createClient(fetch: Fetch) {
  function send({ credentials, path, query = {}, kind = 'other', ...call }: Call) {
    const url = `${credentials['api']}${path}&${new URLSearchParams(query).toString()}`;
    const headers = { authorization: `Basic ${toBasic(credentials)}` };
    return callNetwork(fetch, { ...call, url, headers, kind });
  }
  /** Throws what doesn't have the expected form, whatever its status. */
  async function ask<T>(call: Call, expected: z.ZodType<T>): Promise<T> {
    const answer = await send(call);
    const { data, success } = expected.safeParse(answer.body);
    if (success) return data;
    throw isSuccess(answer) ? toSurprise('WordPress', call.kind ?? 'other') : toError(call, answer);
  }
  return { send, ask };
}
export type Client = ReturnType<typeof createClient>;

const toBasic = ({ username, application_password }: Credentials) =>
  Buffer.from(`${username}:${application_password}`).toString('base64');

/** A site may repeat the password, with its spaces or without, or the header that carries it. */
export function secretsOf(credentials: Credentials): string[] {
  const { application_password: password = '' } = credentials;
  return [password, password.replaceAll(' ', ''), toBasic(credentials).replace(/=+$/, '')];
}

/** @see https://developer.wordpress.org/reference/functions/rest_convert_error_to_response/ */
export const WpError = z.object({ code: z.string(), message: z.string() });
const ForbiddenStatus = z.object({
  data: z.object({
    details: z.object({ status: z.object({ code: z.literal('rest_forbidden_status') }) }),
  }),
});

export function toError(
  { credentials, kind = 'other' }: Call,
  answer: NetworkAnswer,
): PlatformError {
  const { status } = answer;
  const { code, message } = WpError.safeParse(answer.body).data ?? {};
  const foreign = `HTTP ${status}, not from WordPress. A firewall may have answered.`;
  // Where the password is wrong, WordPress treats the user as a visitor.
  const isVisitor =
    status === 401 || (status === 400 && ForbiddenStatus.safeParse(answer.body).success);
  return toRefusal({
    network: 'WordPress',
    kind,
    answer,
    code,
    message: message?.replaceAll(/<[^<>]*>/g, '') ?? (status < 500 ? foreign : undefined),
    verdicts: isVisitor ? { [code ?? '']: 'revoked' } : {},
    secrets: secretsOf(credentials),
  });
}
