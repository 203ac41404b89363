// What Discord's refusals mean.
import { z } from 'zod';
import type { NetworkAnswer } from '../json-client.ts';
import type { Credentials } from '../platform.ts';
import type { Verdict } from '../refusal.ts';

/** Tokens don't expire. @see https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const verdicts: Record<string, Verdict> = {
  401: 'revoked',
  10015: 'revoked', // Unknown webhook: it was deleted.
  20016: 'rate_limited', // Slow mode of the channel.
  40004: 'unavailable', // Sending is turned off for a time.
  130000: 'unavailable', // The resource is overloaded.
};

const Fault = z.object({
  code: z.number().optional(),
  message: z.string().optional(),
  errors: z.unknown().optional(),
  retry_after: z.number().optional(),
  global: z.boolean().optional(),
});

/** @see https://docs.discord.com/developers/topics/rate-limits#global-rate-limit */
export function readRefusal({ status, body }: NetworkAnswer, { bot_token }: Credentials) {
  const { code, message, errors, retry_after, global } = Fault.safeParse(body).data ?? {};
  // Global limits are a bot's own; without a bot they are our address's. One that Cloudflare blocks
  // gets a page, or a document without a time.
  const isForAll = (global && !bot_token) || (!code && retry_after === undefined);
  return {
    code: String(code || status),
    message: [message, ...listFaults(errors)].filter(Boolean).join('; '),
    verdicts,
    retryAfterMs: retry_after && Math.ceil(retry_after * 1_000),
    throttled: isForAll ? 'app' : 'account',
  } as const;
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
