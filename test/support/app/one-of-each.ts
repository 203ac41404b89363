// A project with one object of each type that has an ID. The post is published, and its event is delivered
// and replayed.
import { expect, vi } from 'vitest';
import type { TestApp } from './app.ts';
import { ask } from '../graphql/graphql.ts';
import { hourAgo, patience } from '../receivers/replays.ts';
import type { Tenant } from './seed.ts';

export interface OneOfEach {
  readonly tenant: Tenant;
  /** IDs by the name of their type. */
  readonly ids: Readonly<Record<string, string>>;
}

/** The receiver answers 200. */
export async function makeOneOfEach(app: TestApp, receiverUrl: string): Promise<OneOfEach> {
  const tenant = await app.createTenant();
  const account = await tenant.connectSandbox('ada');
  const { id: webhookId } = await tenant.createWebhook(receiverUrl, ['post.published']);
  const post = await tenant.createPost({ caption: 'one', account_ids: [account.id] });
  await tenant.waitForPost(post.id);
  const delivery = await vi.waitFor(async () => {
    const path = `/v1/webhooks/${webhookId}/deliveries?status=delivered`;
    const { data } = (await tenant.api.get(path)).body;
    expect(data).toHaveLength(1);
    return data[0];
  }, patience);
  const made = await ask(
    app,
    `mutation ($accountId: ID!, $webhookId: ID!, $since: DateTime!) {
      createConnectSession(input: { platform: SANDBOX, externalUserId: "u" }) { id }
      createApiKey(input: { name: "k" }) { apiKey { id } }
      createMedia(input: { filename: "m.png", contentType: "image/png" }) { id }
      replayDeliveries(webhookId: $webhookId, input: { since: $since }) { replayId }
      createAccountCheck(accountId: $accountId) { id }
      createQueue(input: {
        name: "q", timezone: "UTC", accountIds: [$accountId], slots: [{ weekday: MON, time: "09:00" }]
      }) { id }
    }`,
    { accountId: account.id, webhookId, since: hourAgo() },
    tenant.key,
  );
  return {
    tenant,
    ids: {
      Account: account.id,
      AccountCheck: made.createAccountCheck.id,
      ApiKey: made.createApiKey.apiKey.id,
      ConnectSession: made.createConnectSession.id,
      Delivery: delivery.id,
      Event: delivery.event_id,
      Media: made.createMedia.id,
      Post: post.id,
      PostResult: post.results[0]!.id,
      Project: tenant.projectId,
      Queue: made.createQueue.id,
      Replay: made.replayDeliveries.replayId,
      Webhook: webhookId,
    },
  };
}
