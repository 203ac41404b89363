// Calls to Discord's API, their answers read and their errors mapped.
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { callNetwork, isSuccess, type CallKind, type NetworkAnswer } from '../json-client.ts';
import { PlatformError } from '../platform-error.ts';
import type { Credentials, Fetch } from '../platform.ts';
import { toRefusal, toSurprise, type Verdict } from '../refusal.ts';

/** @see https://docs.discord.com/developers/reference#user-agent */
const userAgent = `DiscordBot (Fanfare, ${packageJson.version})`;

/** Tokens don't expire. @see https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const verdicts: Record<string, Verdict> = {
  401: 'revoked', // The token of a bot.
  10015: 'revoked', // Unknown webhook: it was deleted.
  40001: 'revoked', // Unauthorized.
  50014: 'revoked', // Invalid authentication token.
  50027: 'revoked', // Invalid webhook token.
  20016: 'rate_limited', // Slow mode of the channel.
  20028: 'rate_limited', // Write limit of the channel.
  20029: 'rate_limited', // Write limit of the server.
  40062: 'rate_limited', // The resource is rate limited.
  40004: 'unavailable', // Sending is turned off for a time.
  40006: 'unavailable', // The feature is turned off for a time.
  130000: 'unavailable', // The resource is overloaded.
};

interface Call<T> {
  kind: CallKind;
  /** Below the API's address. A webhook's holds its token. */
  path: string;
  credentials: Credentials;
  json?: object;
  answer: z.ZodType<T>;
  /** In connecting: the credential that a refusal is due to. */
  field?: string;
  signal: AbortSignal;
}

export type Send = <T>(call: Call<T>) => Promise<{ headers: Headers; body: T }>;

export function createSend(fetch: Fetch, apiUrl: string): Send {
  return async ({ path, credentials: { bot_token, webhook_token }, answer, field, ...call }) => {
    const authorization = bot_token && { authorization: `Bot ${bot_token}` };
    const headers = { 'user-agent': userAgent, ...authorization };
    const received = await callNetwork(fetch, { url: `${apiUrl}${path}`, headers, ...call });
    const secrets = [bot_token ?? '', webhook_token ?? ''];
    if (!isSuccess(received)) throw blame(toError(received, call.kind, secrets), field);
    const parsed = answer.safeParse(received.body);
    if (!parsed.success) throw toSurprise('Discord', call.kind);
    return { headers: received.headers, body: parsed.data };
  };
}

function blame(error: PlatformError, field: string | undefined): PlatformError {
  const isRefusal = error.kind === 'rejected' || error.kind === 'reauthorize';
  if (!isRefusal || field === undefined) return error;
  return new PlatformError('rejected', error.message, { ...error.options, field });
}

const Fault = z.object({
  code: z.number().optional(),
  message: z.string().optional(),
  errors: z.unknown().optional(),
  retry_after: z.number().optional(),
  global: z.boolean().optional(),
});

function toError(answer: NetworkAnswer, kind: CallKind, secrets: string[]): PlatformError {
  const { code, message, errors, retry_after, global } = Fault.safeParse(answer.body).data ?? {};
  // An address that Cloudflare blocks gets a page, or a document without a time.
  const isForAll = global === true || (!code && retry_after === undefined);
  return toRefusal({
    network: 'Discord',
    kind,
    answer,
    code: String(code || answer.status),
    message: [message, ...listFaults(errors)].filter(Boolean).join('; '),
    verdicts,
    secrets,
    retryAfterMs: retry_after && Math.ceil(retry_after * 1_000),
    throttled: isForAll ? 'app' : 'account',
  });
}

/** `{embeds: {0: {title: {_errors: [{message}]}}}}` → `embeds.0.title: <message>` */
function listFaults(errors: unknown, path: string[] = []): string[] {
  if (typeof errors !== 'object' || errors === null || path.length > 8) return [];
  return Object.entries(errors).flatMap(([name, value]: [string, unknown]) => {
    if (name !== '_errors') return listFaults(value, [...path, name]);
    const faults = z.array(z.object({ message: z.string() })).safeParse(value).data ?? [];
    return faults.map(({ message }) => `${path.join('.') || 'body'}: ${message}`);
  });
}
