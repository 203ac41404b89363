// The JSON Schemas of /v1/event-types describe what receivers get, as an independent validator confirms.
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { warnOfExpiry } from '../../../activities/logins/warn-of-expiry.ts';
import {
  eventCatalogue,
  eventTypes,
  liveEventTypes,
  type EventType,
} from '../../../schema/event-types.ts';
import type { EventTypeInfo } from '../../../schema/events.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { ask } from '../../support/graphql/graphql.ts';
import {
  startReceiver,
  type ReceivedRequest,
  type Receiver,
} from '../../support/receivers/receiver.ts';
import { endLoginSoon } from '../../support/rows/grants.ts';

let app: TestApp;
let previewing: TestApp;
let receiver: Receiver;
let validators: Map<EventType, ValidateFunction>;

beforeAll(async () => {
  [app, previewing, receiver] = await Promise.all([
    startApp(),
    startApp({ env: { FANFARE_PREVIEW_EVENTS: 'true' } }),
    startReceiver(),
  ]);
  const { body } = await app.api.get('/v1/event-types');
  const ajv = new Ajv2020({ allErrors: true })
    .addKeyword('example')
    .addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)));
  validators = new Map(
    body.data.map((kind: { event: EventType; json_schema: object }) => [
      kind.event,
      ajv.compile(closed(kind.json_schema)),
    ]),
  );
});

afterAll(async () => {
  await Promise.all([app.stop(), previewing.stop()]);
  await receiver.close();
});

/** The same schema without leave for members that it does not describe. */
function closed<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed) as T;
  const members = Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, closed(member)]),
  );
  const isRecord = 'type' in schema && schema.type === 'object' && 'properties' in schema;
  return (isRecord ? { ...members, additionalProperties: false } : members) as T;
}

function faultsOf(event: EventType, body: unknown) {
  const validate = validators.get(event)!;
  return validate(body) ? [] : validate.errors;
}

const isOf = (path: string, event: string) => (request: ReceivedRequest) =>
  request.path === path && request.headers['x-service-event'] === event;

async function publish(api: TestApp, outcomes: (string | undefined)[], post: object = {}) {
  const accounts = await Promise.all(
    outcomes.map((_, i) => api.tenant.connectSandbox(`user${i}`, { external_user_id: 'u-1' })),
  );
  return api.tenant.createPost({
    caption: 'Hello',
    metadata: { campaign: 'spring' },
    platform_posts: outcomes.map((outcome, i) => ({
      account_id: accounts[i]!.id,
      ...(outcome ? { platform_options: { outcome } } : {}),
    })),
    ...post,
  });
}

const typesOf = (availability: EventTypeInfo['availability']) =>
  eventTypes.filter((type) => eventCatalogue[type].availability === availability);

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe('a live event type', () => {
  beforeAll(async () => {
    await app.tenant.createWebhook(`${receiver.url}/live`);
    await publish(app, [undefined, undefined]);
    await publish(app, ['rejected']);
    await publish(app, [undefined, 'rejected']);
    const account = await app.tenant.connectSandbox('carol');
    await app.api.delete(`/v1/accounts/${account.id}`);
  });

  test.each(liveEventTypes)('%s: the body sent is as its schema says', async (event) => {
    const request = await receiver.waitFor(isOf('/live', event));
    expect(faultsOf(event, request.json())).toEqual([]);
  });

  test('post.partial: each result says what happened and what to do', async () => {
    await app.tenant.createWebhook(`${receiver.url}/partial`, ['post.partial']);
    const { id: account_id } = await app.tenant.connectSandbox('erin');
    const refused = { outcome: 'rejected' };
    await app.tenant.createPost({
      caption: 'first',
      platform_posts: [
        { account_id, thread_position: 1, first_comment: 'more' },
        { account_id, thread_position: 2, caption: 'second', platform_options: refused },
      ],
    });
    const request = await receiver.waitFor(isOf('/partial', 'post.partial'));
    expect(faultsOf('post.partial', request.json())).toEqual([]);
    const none = {
      error_code: null,
      error_message: null,
      error_hint: null,
      failure_stage: null,
      is_retriable: false,
      next_action: 'none',
    };
    const shown = { external_id: expect.any(String), visibility: 'public' };
    expect(request.json().data.results).toMatchObject([
      {
        ...none,
        ...shown,
        status: 'published',
        thread_position: 1,
        first_comment: { ...none, ...shown, text: 'more', status: 'published' },
      },
      {
        status: 'failed',
        thread_position: 2,
        external_id: null,
        visibility: null,
        error_code: 'rejected',
        error_message: expect.any(String),
        error_hint: expect.any(String),
        failure_stage: 'commit',
        is_retriable: false,
        next_action: 'edit_content',
        first_comment: null,
      },
    ]);
  });

  test('post.partial: the body in the documentation is as its schema says', () => {
    const page = readFileSync('docs/webhooks.md', 'utf8');
    const [, sample] = /```json\n(\{\n  "event"[\s\S]*?)```/.exec(page)!;
    expect(faultsOf('post.partial', JSON.parse(sample!))).toEqual([]);
  });

  test('a body of another type, or with a missing or unknown member, is invalid', async () => {
    const request = await receiver.waitFor(isOf('/live', 'post.published'));
    const body = request.json();
    const { caption, ...data } = body.data;
    expect(caption).toBe('Hello');
    expect(faultsOf('post.failed', body)).not.toEqual([]);
    expect(faultsOf('post.published', { ...body, data })).not.toEqual([]);
    expect(faultsOf('post.published', { ...body, more: 1 })).not.toEqual([]);
    expect(faultsOf('post.published', { ...body, timestamp: 'now' })).not.toEqual([]);
  });
});

describe('a test event', () => {
  test.each(eventTypes)('%s: the sample is as its schema says', async (event) => {
    const webhook = await app.tenant.createWebhook(`${receiver.url}/test/${event}`, [event]);
    const answer = await app.api.post(`/v1/webhooks/${webhook.id}/test`, { event });
    expect(answer.status).toBe(202);
    const request = await receiver.waitFor(isOf(`/test/${event}`, event));
    expect(faultsOf(event, request.json())).toEqual([]);
    await app.api.delete(`/v1/webhooks/${webhook.id}`);
  });
});

describe('an opt-in event type', () => {
  test('account.expiring reaches the webhooks that name it, as its schema says', async () => {
    const naming = await app.tenant.createWebhook(`${receiver.url}/naming`, ['account.expiring']);
    const others = [
      await app.tenant.createWebhook(`${receiver.url}/default`),
      await app.tenant.createWebhook(`${receiver.url}/live`, liveEventTypes),
    ];
    const account = await app.tenant.connectSandbox('fay');
    const endsAt = new Date(Date.now() + 3_600_000);
    await endLoginSoon(app.database.db, account.id, endsAt);
    await warnOfExpiry({ ...app.context, previewEvents: false });
    const request = await receiver.waitFor(isOf('/naming', 'account.expiring'));
    expect(faultsOf('account.expiring', request.json())).toEqual([]);
    expect(request.json().data).toEqual({
      social_account_id: account.id,
      platform: 'sandbox',
      account_name: 'fay',
      external_user_id: null,
      connection_type: 'byo',
      token_expires_at: endsAt.toISOString(),
    });
    const listTypes = async ({ id }: { id: string }) => {
      const { body } = await app.api.get(`/v1/webhooks/${id}/deliveries`);
      return body.data.map(({ event }: { event: EventType }) => event);
    };
    expect(await listTypes(naming)).toEqual(['account.expiring']);
    for (const other of others) expect(await listTypes(other)).toEqual(['account.connected']);
  });
});

describe('an event about a change after the publication', () => {
  test('reaches the webhooks that name it, as its schema says', async () => {
    const types = ['post.edited', 'post.unpublished'] as const;
    await app.tenant.createWebhook(`${receiver.url}/changes`, [...types]);
    const { id } = await app.tenant.connectSandbox('gil');
    const created = await app.tenant.createPost({ caption: 'Helo', account_ids: [id] });
    const post = await app.tenant.waitForPost(created.id);
    const result = post.results[0]!;
    const path = `/v1/posts/${post.id}/results/${result.id}`;
    await app.api.patch(path, { caption: 'Hello' });
    const edited = (await receiver.waitFor(isOf('/changes', 'post.edited'))).json();
    await app.api.post(`${path}/unpublish`);
    const removed = (await receiver.waitFor(isOf('/changes', 'post.unpublished'))).json();
    expect(faultsOf('post.edited', edited)).toEqual([]);
    expect(faultsOf('post.unpublished', removed)).toEqual([]);
    expect(removed.data).toMatchObject({
      id: post.id,
      status: 'published',
      result_id: result.id,
      results: [{ status: 'unpublished', external_id: result.external_id }],
    });
  });
});

describe('a coming-soon event type', () => {
  const comingSoon = typesOf('coming_soon');

  test('says whether the installation sends it', async () => {
    const sentBy = async ({ api }: TestApp) => {
      const { body } = await api.get('/v1/event-types');
      const kinds = body.data as EventTypeInfo[];
      return kinds.filter(({ is_sent }) => is_sent).map(({ event }) => event);
    };
    expect(await sentBy(app)).toEqual([...liveEventTypes, ...typesOf('opt_in')]);
    expect(await sentBy(previewing)).toEqual(eventTypes);
    const { eventTypes: asked } = await ask(previewing, '{ eventTypes { isSent } }');
    expect(asked).toEqual(eventTypes.map(() => ({ isSent: true })));
  });

  test('may be subscribed to, and is neither recorded nor sent', async () => {
    const webhook = await app.tenant.createWebhook(`${receiver.url}/soon`, [
      ...comingSoon,
      'post.published',
    ]);
    expect(webhook.events).toEqual([...comingSoon, 'post.published']);
    await publish(app, [undefined], { scheduled_at: inAnHour() });
    const { body } = await app.api.get('/v1/events?event=post.scheduled');
    expect(body.data).toEqual([]);
    // A later event has arrived, so this one would have too.
    await publish(app, [undefined]);
    await receiver.waitFor(isOf('/soon', 'post.published'));
    expect(receiver.requests.filter(isOf('/soon', 'post.scheduled'))).toEqual([]);
  });

  test('account.refreshed is sent in preview after a refresh, and not otherwise', async () => {
    const events: EventType[] = ['account.refreshed', 'post.published'];
    const publishExpired = async (on: TestApp, path: string) => {
      await on.tenant.createWebhook(`${receiver.url}${path}`, events);
      const { id: account_id } = await on.tenant.connectSandbox('dave');
      const managed = on.database.db.updateTable('social_accounts');
      await managed.set({ connection_type: 'managed' }).where('id', '=', account_id).execute();
      const platform_options = { outcome: 'token_expired', times: 1 };
      const platform_posts = [{ account_id, platform_options }];
      const { id } = await on.tenant.createPost({ caption: 'Hello', platform_posts });
      expect((await on.tenant.waitForPost(id)).status).toBe('published');
      await receiver.waitFor(isOf(path, 'post.published'));
    };
    await publishExpired(previewing, '/refreshed');
    const request = await receiver.waitFor(isOf('/refreshed', 'account.refreshed'));
    expect(faultsOf('account.refreshed', request.json())).toEqual([]);
    expect(request.json().data).toMatchObject({ platform: 'sandbox', account_name: 'dave' });
    await publishExpired(app, '/not-refreshed');
    expect((await app.api.get('/v1/events?event=account.refreshed')).body.data).toEqual([]);
  });

  test('is sent if the operator asked for a preview, as its schema says', async () => {
    await previewing.tenant.createWebhook(`${receiver.url}/preview`, ['post.scheduled']);
    const post = await publish(previewing, [undefined], { scheduled_at: inAnHour() });
    const request = await receiver.waitFor(isOf('/preview', 'post.scheduled'));
    expect(request.json().data.id).toBe(post.id);
    expect(faultsOf('post.scheduled', request.json())).toEqual([]);
  });
});
