// The events of an account near or at its monthly limit: once each, and only in a preview.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';
import type { Tenant } from '../../support/app/seed.ts';

const kinds = ['account.quota_warning', 'account.quota_exceeded'] as const;

let previewing: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  [previewing, receiver] = await Promise.all([
    startApp({ env: { FANFARE_PREVIEW_EVENTS: 'true' } }),
    startReceiver(),
  ]);
});
afterAll(async () => {
  await previewing.stop();
  await receiver.close();
});

/** A project with a limit of its own and one account. */
async function createTenant(app: TestApp, limit: number) {
  const tenant = await app.createTenant();
  await tenant.api.patch('/v1/project', { monthly_posts_per_account: limit });
  const account = await tenant.connectSandbox('ada', { external_user_id: 'user-1' });
  return { tenant, account };
}

const inAMonth = () => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15)).toISOString();
};

/** So that nothing is published, and so nothing given back. */
function schedule(tenant: Tenant, accountId: string, times = 1) {
  return Promise.all(
    Array.from({ length: times }, () =>
      tenant.api.post('/v1/posts', {
        caption: 'Hello',
        account_ids: [accountId],
        scheduled_at: inAMonth(),
      }),
    ),
  );
}

interface Recorded {
  event: string;
  timestamp: string;
  data: { published: number };
}

/** Oldest first. */
async function recordedBy({ api }: Tenant): Promise<Recorded[]> {
  const { body } = await api.get('/v1/events');
  return (body.data as Recorded[])
    .filter(({ event }) => event.startsWith('account.quota_'))
    .toReversed();
}

describe('an account in a preview', () => {
  test('records an event at 80 % and one at 100 %, with the account, the month, the count and the limit', async () => {
    const { tenant, account } = await createTenant(previewing, 4);
    await tenant.createWebhook(`${receiver.url}/quota`, [...kinds]);
    await schedule(tenant, account.id, 3);
    expect(await recordedBy(tenant)).toEqual([]);
    await schedule(tenant, account.id);
    for (const event of kinds) {
      const request = await receiver.waitFor(({ headers, path }) => {
        return path === '/quota' && headers['x-service-event'] === event;
      });
      expect(request.json()).toEqual({
        event,
        timestamp: expect.any(String),
        data: {
          social_account_id: account.id,
          platform: 'sandbox',
          account_name: account.account_name,
          external_user_id: 'user-1',
          connection_type: 'byo',
          month: inAMonth().slice(0, 7),
          published: 4,
          limit: 4,
        },
      });
    }
  });

  test('records the warning at the first whole count of at least 80 %', async () => {
    const { tenant, account } = await createTenant(previewing, 6);
    await schedule(tenant, account.id, 4);
    expect(await recordedBy(tenant)).toEqual([]);
    await schedule(tenant, account.id);
    expect(await recordedBy(tenant)).toMatchObject([
      { event: 'account.quota_warning', data: { published: 5, limit: 6 } },
    ]);
    await schedule(tenant, account.id);
    expect(await recordedBy(tenant)).toMatchObject([
      { event: 'account.quota_warning' },
      { event: 'account.quota_exceeded', data: { published: 6, limit: 6 } },
    ]);
  });

  test('records each event once, despite concurrent and refused posts', async () => {
    const { tenant, account } = await createTenant(previewing, 5);
    const answers = await schedule(tenant, account.id, 12);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    const recorded = await recordedBy(tenant);
    expect(recorded.map(({ event, data }) => [event, data.published])).toEqual([
      ['account.quota_warning', 4],
      ['account.quota_exceeded', 5],
    ]);
    expect(recorded[0]!.timestamp < recorded[1]!.timestamp).toBe(true);
  });

  test('records the events again in another month', async () => {
    const { tenant, account } = await createTenant(previewing, 1);
    await schedule(tenant, account.id);
    await tenant.createPost({ caption: 'Hello', account_ids: [account.id] });
    const recorded = await recordedBy(tenant);
    expect(recorded.map(({ event }) => event)).toEqual([...kinds, ...kinds]);
  });

  test('reports the events in the live feed', async () => {
    const { tenant, account } = await createTenant(previewing, 1);
    await schedule(tenant, account.id);
    const changes = await previewing.context.db
      .selectFrom('changes')
      .select('kind')
      .where('subject_id', '=', account.id)
      .orderBy('id')
      .execute();
    expect(changes.map(({ kind }) => kind)).toEqual([
      'connected',
      'quota_warning',
      'quota_exceeded',
    ]);
  });
});

describe('an account without a preview', () => {
  test('records no event; its usage shows when it reached its limit', async () => {
    await using app = await startApp();
    const { tenant, account } = await createTenant(app, 1);
    await schedule(tenant, account.id);
    expect(await recordedBy(tenant)).toEqual([]);
    const month = inAMonth().slice(0, 7);
    const { body } = await tenant.api.get(`/v1/accounts/${account.id}/usage?month=${month}`);
    expect(body.data).toMatchObject({
      published: 1,
      warned_at: expect.any(String),
      exceeded_at: expect.any(String),
    });
  });
});
