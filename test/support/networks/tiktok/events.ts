// Events that TikTok sends about users and posts of an app, signed as TikTok signs them.
import { createHmac } from 'node:crypto';
import type { Context } from '../../../../api/http/context.ts';
import { createInboundRoutes } from '../../../../api/inbound/routes.ts';

export const secret = 'secret-of-the-app';
export const nowS = () => Math.floor(Date.now() / 1_000);

export const eventOf = (change: object = {}) => ({
  client_key: 'key',
  event: 'authorization.removed',
  create_time: nowS(),
  user_openid: 'open-42',
  content: '{"reason": 1 }',
  ...change,
});

/** https://developers.tiktok.com/doc/webhooks-events */
export const postEventOf = (event: string, publishId: string, change: object = {}) =>
  eventOf({
    event: `post.publish.${event}`,
    content: JSON.stringify({ publish_id: publishId, publish_type: 'DIRECT_POST' }),
    ...change,
  });

export interface SentEvent {
  to: { inbound_key: string };
  timeS?: number;
  with?: string;
  /** Replaces the signed body. */
  body?: string;
  signature?: string;
}

/** Returns the status, and the code of the first issue. */
export async function sendEvent(
  context: Context,
  event: object,
  { to, timeS = nowS(), ...given }: SentEvent,
): Promise<[number, string | undefined]> {
  const signedBody = JSON.stringify(event);
  const mac = createHmac('sha256', given.with ?? secret).update(`${timeS}.${signedBody}`);
  const signature = given.signature ?? `t=${timeS},s=${mac.digest('hex')}`;
  const response = await createInboundRoutes(context).request(`/inbound/tiktok/${to.inbound_key}`, {
    method: 'POST',
    body: given.body ?? signedBody,
    headers: {
      'content-type': 'application/json',
      ...(signature !== '' && { 'TikTok-Signature': signature }),
    },
  });
  const body = (await response.json()) as { error?: { issues?: { path: string; code: string }[] } };
  return [response.status, body.error?.issues?.[0]?.code];
}
