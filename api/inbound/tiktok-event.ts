// An event that TikTok sends about a user or a post of an app, signed with the app's secret.
// https://developers.tiktok.com/doc/webhooks-verification
import { z } from 'zod';
import { parseJson } from '../../activities/platforms/json-client.ts';
import { isSigned, type SignatureIssue } from './signed-request.ts';

/** Older calls are refused, and so are calls from further ahead. */
const maxAgeMs = 300_000;

/** A time in the year 5138. Dates end later. */
const latestS = 100_000_000_000;

/** https://developers.tiktok.com/doc/webhooks-events */
const Event = z.object({
  client_key: z.string(),
  event: z.string(),
  /** Seconds. */
  create_time: z.int().min(0).max(latestS),
  /** Postgres stores no NUL. */
  user_openid: z.string().regex(/^[^\0]+$/),
  /** JSON. */
  content: z.string().default(''),
});
export type TikTokEvent = z.infer<typeof Event>;

const PublishContent = z.object({ publish_id: z.string().min(1) });

/** ID of the publishing that the event is about. Undefined: the event isn't about a post. */
export function publishIdOf({ event, content }: TikTokEvent): string | undefined {
  if (!event.startsWith('post.publish.')) return undefined;
  return PublishContent.safeParse(parseJson(content)).data?.publish_id;
}

/** The header `TikTok-Signature`: `t=1633174587,s=18494715…`. */
const Signature = /^t=(\d{1,12}),s=([0-9a-f]{64})$/;

interface App {
  clientId: string;
  /** Null or empty: the app has no secret, so no signature is valid. */
  clientSecret: string | null;
}

export function readTikTokEvent(
  header: string | undefined,
  body: string,
  { clientId, clientSecret }: App,
  nowMs = Date.now(),
): TikTokEvent | SignatureIssue {
  if (header === undefined) return 'required';
  const [, time = '', signature = ''] = Signature.exec(header.replaceAll(' ', '')) ?? [];
  if (!clientSecret || !isSigned(`${time}.${body}`, Buffer.from(signature, 'hex'), clientSecret)) {
    return 'invalid_signature';
  }
  if (Math.abs(nowMs - Number(time) * 1_000) > maxAgeMs) return 'expired';
  const { data } = Event.safeParse(parseJson(body));
  return data?.client_key === clientId ? data : 'invalid_signature';
}
