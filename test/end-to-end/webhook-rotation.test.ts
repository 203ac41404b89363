// Which secrets sign what a receiver gets: before, within and after the overlap of a rotation.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app/app.ts';
import {
  startReceiver,
  type ReceivedRequest,
  type Receiver,
} from '../support/receivers/receiver.ts';

let app: TestApp;
let receiver: Receiver;
let accountId: string;

beforeAll(async () => {
  [app, receiver] = await Promise.all([startApp(), startReceiver()]);
  accountId = (await app.tenant.connectSandbox('ada')).id;
});

afterAll(async () => {
  await app.stop();
  await receiver.close();
});

async function createWebhook(name: string) {
  const path = `/${name}`;
  const { id, secret } = await app.tenant.createWebhook(receiver.url + path, ['post.published']);
  return {
    secret,
    async rotate(body: object): Promise<string> {
      const answer = await app.api.post(`/v1/webhooks/${id}/rotate`, body);
      expect(answer.status).toBe(200);
      return answer.body.data.secret as string;
    },
    /** As if its time had passed. */
    endOverlap: () =>
      app.database.db
        .updateTable('webhook_subscriptions')
        .set({ previous_secret_until: new Date() })
        .where('id', '=', id)
        .execute(),
    /** What the next event looks like to this webhook's receiver. */
    async receive(): Promise<ReceivedRequest> {
      const isNew = receiver.requests.length;
      await app.tenant.createPost({ caption: 'hello', account_ids: [accountId] });
      return receiver.waitFor((request) => request.number > isNew && request.path === path);
    },
  };
}

/** Whether the secret verifies the contract's header, and Standard Webhooks' beside it. */
function holds({ headers, body, text }: ReceivedRequest, secret: string): [boolean, boolean] {
  const hmac = createHmac('sha256', secret).update(body).digest('hex');
  let isStandard = true;
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
  } catch {
    isStandard = false;
  }
  return [headers['x-service-signature'] === `sha256=${hmac}`, isStandard];
}

describe('rotation', () => {
  test('signs nothing with the old secret from now on if there is no overlap', async () => {
    const webhook = await createWebhook('at-once');
    expect(holds(await webhook.receive(), webhook.secret)).toEqual([true, true]);
    const secret = await webhook.rotate({});
    const request = await webhook.receive();
    expect(holds(request, secret)).toEqual([true, true]);
    expect(holds(request, webhook.secret)).toEqual([false, false]);
  });

  test('signs webhook-signature with both secrets during an overlap, X-Service-Signature with the new one', async () => {
    const webhook = await createWebhook('overlap');
    const secret = await webhook.rotate({ overlap_seconds: 60 });
    const within = await webhook.receive();
    expect(holds(within, secret)).toEqual([true, true]);
    expect(holds(within, webhook.secret)).toEqual([false, true]);
    await webhook.endOverlap();
    const after = await webhook.receive();
    expect(holds(after, secret)).toEqual([true, true]);
    expect(holds(after, webhook.secret)).toEqual([false, false]);
  });

  test('drops the oldest secret if it is repeated within an overlap', async () => {
    const webhook = await createWebhook('twice');
    const second = await webhook.rotate({ overlap_seconds: 60 });
    const third = await webhook.rotate({ overlap_seconds: 60 });
    const request = await webhook.receive();
    expect(holds(request, webhook.secret)).toEqual([false, false]);
    expect(holds(request, second)).toEqual([false, true]);
    expect(holds(request, third)).toEqual([true, true]);
  });
});
