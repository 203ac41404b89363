// The receivers of a run: each refuses some of its requests at random, and checks every signature.
import { timingSafeEqual } from 'node:crypto';
import { signWebhook } from '../../activities/delivering/signature.ts';
import { startReceiver, type ReceivedRequest, type Reply } from '../support/receivers/receiver.ts';
import type { Receipt } from './books/records.ts';
import type { ChaosClient } from './client.ts';
import type { Random } from './random.ts';

export interface Receivers extends AsyncDisposable {
  readonly webhooks: readonly { id: string; project: number }[];
  readonly receipts: readonly Receipt[];
}

/** How many of its requests each refuses. */
const refusals = { steady: 0.1, flaky: 0.35, broken: 0.8 } as const;

/** The same receivers for each project. */
export async function startReceivers(
  client: ChaosClient,
  random: Random,
  projects: number,
): Promise<Receivers> {
  const receipts: Receipt[] = [];
  const secrets = new Map<string, string>();
  const receiver = await startReceiver({
    respond(request) {
      const name = request.path.split('/').at(-1) as keyof typeof refusals;
      const reply = random.fraction() >= refusals[name] ? { status: 204 } : refuse(random);
      receipts.push({
        deliveryId: String(request.headers['x-service-delivery']),
        body: request.text,
        isSigned: isSigned(request, secrets.get(request.path) ?? ''),
        timestamp: String(request.headers['webhook-timestamp']),
        statusCode: typeof reply === 'string' ? null : reply.status!,
        at: new Date(),
      });
      return reply;
    },
  });
  const webhooks: { id: string; project: number }[] = [];
  for (let project = 0; project < projects; project++) {
    for (const name of Object.keys(refusals)) {
      const path = `/${project}/${name}`;
      const body = { url: `${receiver.url}${path}`, name };
      const answer = await client.send({ method: 'POST', path: '/v1/webhooks', body, project });
      if (answer.status !== 201) throw new Error(`No webhook: ${answer.text}`);
      webhooks.push({ id: answer.body.data.id as string, project });
      secrets.set(path, answer.body.data.secret as string);
    }
  }
  return { webhooks, receipts, [Symbol.asyncDispose]: () => receiver.close() };
}

function refuse(random: Random): Reply {
  const kind = random.fraction();
  if (kind < 0.1) return 'hang';
  return kind < 0.3 ? 'reset' : { status: random.pick([400, 404, 500, 503]) };
}

function isSigned({ headers, body }: ReceivedRequest, secret: string): boolean {
  const expected = signWebhook({
    secrets: [secret],
    body,
    webhookId: String(headers['webhook-id']),
    timestampSeconds: Number(headers['webhook-timestamp']),
  });
  return (['X-Service-Signature', 'webhook-signature'] as const).every((name) =>
    isEqual(String(headers[name.toLowerCase()]), expected[name]),
  );
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
