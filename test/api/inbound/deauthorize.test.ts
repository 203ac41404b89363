// A user who removed an app at the network: their logins end, and no others.
import { describe, expect, test } from 'vitest';
import { useRest } from '../../support/app/rest.ts';
import {
  addAccountOfUser,
  addMetaApp,
  appSecret,
  nowS,
  payloadOf,
  sendCall,
  signRequest,
} from '../../support/networks/meta/callbacks.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { readGranted } from '../../support/rows/grants.ts';

const rest = useRest({ FANFARE_RATE_LIMIT_PER_MINUTE: '5' });
const tenant = forEachTest(() => rest.createTenant());
const app = forEachTest(() => addMetaApp(rest.context, tenant.projectId));

const send = (payload: object, { secret = appSecret, to = app } = {}) =>
  sendCall(rest.context, to, 'deauthorize', signRequest(payload, secret));
const read = async (id: string) => (await readGranted(rest.context.db, id)).status;
const add = (userId: string, given: Partial<Parameters<typeof addAccountOfUser>[1]> = {}) =>
  addAccountOfUser(rest, { projectId: tenant.projectId, app, userId, ...given });

async function listEvents(projectId = tenant.projectId) {
  const events = await rest.context.db
    .selectFrom('events')
    .select(['social_account_id', 'body'])
    .where('project_id', '=', projectId)
    .where('kind', '=', 'account.disconnected')
    .execute();
  return events.map(({ social_account_id: id, body }) => [id, JSON.parse(body).data.reason]);
}

describe('a user who removed the app', () => {
  test('must connect their accounts again', async () => {
    const id = await add('42');
    const others = [await add('43'), await add('42', { app: null })];
    expect(await send(payloadOf('42'))).toMatchObject({ status: 200, body: { success: true } });
    expect(await readGranted(rest.context.db, id)).toMatchObject({
      status: 'reconnect_required',
      credentials: null,
      refresh_at: null,
    });
    expect(await listEvents()).toEqual([[id, 'revoked']]);
    for (const other of others) expect(await read(other)).toBe('active');
    const health = await rest.call('GET', `/v1/accounts/${id}/health`, { key: tenant.key });
    expect(health.body.data.issues).toMatchObject([{ code: 'reconnect_required' }]);
  });

  test('is found by either ID at Instagram', async () => {
    const instagram = await addMetaApp(rest.context, tenant.projectId, { platform: 'instagram' });
    const columns = { external_account_id: '17841400000000001' };
    const id = await add('17841400000000002', { app: instagram, columns });
    await send(payloadOf('17841400000000001'), { to: instagram });
    expect(await read(id)).toBe('reconnect_required');
  });

  test('is found at every network of the same client', async () => {
    const other = await addMetaApp(rest.context, tenant.projectId, { platform: 'instagram' });
    const id = await add('42', { app: other });
    await send(payloadOf('42'));
    expect(await read(id)).toBe('reconnect_required');
  });

  test('stays connected through other apps, also in another project', async () => {
    const id = await add('42');
    const stranger = await rest.createTenant();
    const theirs = await addMetaApp(rest.context, stranger.projectId);
    await send(payloadOf('42'), { to: theirs });
    const second = await addMetaApp(rest.context, tenant.projectId, { clientId: 'second' });
    await send(payloadOf('42'), { to: second });
    expect(await read(id)).toBe('active');
    expect(await listEvents(stranger.projectId)).toEqual([]);
  });

  test("is found in every project if the app is the operator's", async () => {
    const operator = await addMetaApp(rest.context, null);
    const other = await rest.createTenant();
    const ids = [
      await add('42', { app: operator }),
      await add('42', { app: operator, projectId: other.projectId }),
    ];
    const own = await add('42');
    await send(payloadOf('42'), { to: operator });
    for (const id of ids) expect(await read(id)).toBe('reconnect_required');
    expect(await read(own)).toBe('active');
    expect(await listEvents(other.projectId)).toEqual([[ids[1], 'revoked']]);
  });

  test('causes no error if the user is unknown', async () => {
    expect((await send(payloadOf('99'))).status).toBe(200);
  });

  test('keeps a login that is newer than a repeated call', async () => {
    const old = payloadOf('42', { issued_at: nowS() - 3_600 });
    const id = await add('42');
    expect((await send(old)).status).toBe(200);
    expect(await read(id)).toBe('active');
    expect(await listEvents()).toEqual([]);
  });
});

describe('a call', () => {
  test.each([
    ['forged', signRequest(payloadOf('42'), 'guess'), 'invalid_signature'],
    [
      'from yesterday',
      signRequest(payloadOf('42', { issued_at: nowS() - 90_000 }), appSecret),
      'expired',
    ],
    ['without a signature', '', 'invalid_signature'],
  ])('changes nothing if it is %s', async (_, signed, code) => {
    const id = await add('42');
    const refused = await sendCall(rest.context, app, 'deauthorize', signed);
    expect(refused).toMatchObject({
      status: 422,
      body: { error: { code: 'validation_error', issues: [{ path: 'signed_request', code }] } },
    });
    expect(await read(id)).toBe('active');
  });

  test('is 404 if its app is unknown', async () => {
    for (const inbound_key of ['0'.repeat(32), 'x', '%00', app.id]) {
      const signed = signRequest(payloadOf('42'), appSecret);
      const refused = await sendCall(rest.context, { inbound_key }, 'deauthorize', signed);
      expect(refused).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    }
  });

  test('is 404 if the network of its app makes no calls', async () => {
    const linkedin = await addMetaApp(rest.context, tenant.projectId, { platform: 'linkedin' });
    expect((await send(payloadOf('42'), { to: linkedin })).status).toBe(404);
  });

  test('is refused if it is too large', async () => {
    const refused = await sendCall(rest.context, app, 'deauthorize', 'a'.repeat(20_000));
    expect(refused).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
  });

  test('does not count against the call limit of the network if it is forged', async () => {
    const forged = signRequest(payloadOf('42'), 'guess');
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) {
      statuses.push((await sendCall(rest.context, app, 'deauthorize', forged)).status);
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    expect((await send(payloadOf('42'))).status).toBe(200);
  });

  test('is refused if there are too many, and does not count against the request limit of the project', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await send(payloadOf('99'))).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    const read = await rest.call('GET', '/v1/accounts', { key: tenant.key });
    expect(read.headers.get('RateLimit-Remaining')).toBe('4');
  });
});
