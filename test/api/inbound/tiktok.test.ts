// TikTok's events about users and posts of an app: only signed, recent calls of the same app end a login.
import { describe, expect, test } from 'vitest';
import { putApp } from '../../../schema/database/accounts/apps.ts';
import { useRest } from '../../support/app/rest.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { addAccountOfUser } from '../../support/networks/meta/callbacks.ts';
import {
  eventOf,
  nowS,
  secret,
  sendEvent,
  type SentEvent,
} from '../../support/networks/tiktok/events.ts';
import { readGranted } from '../../support/rows/grants.ts';

const rest = useRest();
const tenant = forEachTest(() => rest.createTenant());

const addApp = (clientId: string, clientSecret = secret) =>
  putApp(rest.context.db, tenant.projectId, rest.context.vault, {
    platform: 'tiktok',
    clientId,
    clientSecret,
    settings: {},
  });
const app = forEachTest(() => addApp('key'));

const send = (event: object, sent: Partial<SentEvent> = {}) =>
  sendEvent(rest.context, event, { to: app, ...sent });

const connect = (userId = 'open-42') =>
  addAccountOfUser(rest, { projectId: tenant.projectId, app, userId });
const statusOf = async (id: string) => (await readGranted(rest.context.db, id)).status;

describe('a creator who removed the app', () => {
  test('must connect the account again', async () => {
    const id = await connect();
    const other = await connect('open-43');
    expect(await send(eventOf())).toEqual([200, undefined]);
    expect([await statusOf(id), await statusOf(other)]).toEqual(['reconnect_required', 'active']);
    expect(await send(eventOf())).toEqual([200, undefined]);
  });

  test('keeps a login that is newer than the event', async () => {
    const id = await connect();
    expect(await send(eventOf({ create_time: nowS() - 3_600 }))).toEqual([200, undefined]);
    expect(await statusOf(id)).toBe('active');
  });
});

test.each(['post.publish.complete', 'post.publish.failed', 'something.new'])(
  'the event %s is acknowledged, and ends nothing',
  async (event) => {
    const id = await connect();
    expect(await send(eventOf({ event }))).toEqual([200, undefined]);
    expect(await statusOf(id)).toBe('active');
  },
);

describe('a call is refused', () => {
  test.each<[string, Partial<SentEvent>, string]>([
    ['without a signature', { signature: '' }, 'required'],
    ['with another secret', { with: 'guess' }, 'invalid_signature'],
    [
      'with another body',
      { body: JSON.stringify(eventOf({ user_openid: 'x' })) },
      'invalid_signature',
    ],
    ['with a signature in another form', { signature: 't=1;s=2' }, 'invalid_signature'],
    ['after more than 5 minutes', { timeS: nowS() - 301 }, 'expired'],
    ['from the future', { timeS: nowS() + 400 }, 'expired'],
  ])('%s', async (_, sent, code) => {
    const id = await connect();
    expect(await send(eventOf(), sent)).toEqual([422, code]);
    expect(await statusOf(id)).toBe('active');
  });

  test.each([
    { create_time: Number.MAX_SAFE_INTEGER },
    { create_time: 8_640_000_000_000 },
    { user_openid: 'open\0' },
  ])('with what no database can store: %o', async (change) => {
    expect(await send(eventOf(change))).toEqual([422, 'invalid_signature']);
  });

  test('that names another app', async () => {
    const id = await connect();
    expect(await send(eventOf({ client_key: 'other' }))).toEqual([422, 'invalid_signature']);
    expect(await statusOf(id)).toBe('active');
  });

  test('that another app has signed', async () => {
    const id = await connect();
    const foreign = await addApp('other', 'its-secret');
    const sent = { to: app, with: 'its-secret' };
    expect(await send(eventOf({ client_key: 'other' }), sent)).toEqual([422, 'invalid_signature']);
    expect(await send(eventOf(), { to: foreign })).toEqual([422, 'invalid_signature']);
    expect(await statusOf(id)).toBe('active');
  });

  test('at an address of no app, or of an app of Meta', async () => {
    const meta = await putApp(rest.context.db, tenant.projectId, rest.context.vault, {
      platform: 'threads',
      clientId: 'key',
      clientSecret: secret,
      settings: {},
    });
    expect((await send(eventOf(), { to: meta }))[0]).toBe(404);
    expect((await send(eventOf(), { to: { inbound_key: 'f'.repeat(32) } }))[0]).toBe(404);
  });
});
