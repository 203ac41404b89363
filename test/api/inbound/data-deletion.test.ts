// A user who asked a network to have their data deleted: what is erased, what stays, and the page that says so.
import { describe, expect, test } from 'vitest';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { createInboundRoutes } from '../../../api/inbound/routes.ts';
import { bluesky } from '../../../schema/platforms/bluesky.ts';
import { facebook } from '../../../schema/platforms/facebook.ts';
import { sandbox } from '../../../schema/platforms/sandbox.ts';
import {
  addAccountOfUser,
  addMetaApp,
  appSecret,
  nowS,
  payloadOf,
  sendCall,
  signRequest,
} from '../../support/networks/meta/callbacks.ts';
import { useRest } from '../../support/app/rest.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { changesOf } from '../../support/receivers/delivery-rows.ts';
import { dump, pruneAccounts, readErasure } from '../../support/rows/erasures.ts';
import { addGrant, readGranted } from '../../support/rows/grants.ts';
import {
  deliverAll,
  findPlanted,
  plant,
  planted,
  plantedUser,
  plantSession,
} from '../../support/rows/planted.ts';
import { useAuthor } from '../../support/rows/posts.ts';
import { createScriptedNetwork } from '../../support/scripted-network.ts';

const { platform } = createScriptedNetwork();
const rest = useRest(
  {},
  {
    platforms: createPlatforms(
      [bluesky, facebook, sandbox].map((definition) => ({ ...platform, definition })),
    ),
  },
);
const author = useAuthor(rest);
const app = forEachTest(() => addMetaApp(rest.context, author.projectId));
const userId = '424242424242424';

async function send(payload: object = payloadOf(userId), { secret = appSecret, to = app } = {}) {
  const answer = await sendCall(rest.context, to, 'data-deletion', signRequest(payload, secret));
  const { url, confirmation_code: code } = answer.body as Record<string, string>;
  return { ...answer, url, code: code! };
}

async function show(code: string) {
  const response = await createInboundRoutes(rest.context).request(`/data-deletion/${code}`);
  return { status: response.status, html: (await response.text()).replaceAll(/\s+/g, ' ') };
}

const stateIn = ({ html }: { html: string }) => /Status: <strong>(\w+)</.exec(html)?.[1];
const read = async (id: string) => (await readGranted(rest.context.db, id)).status;
const add = (given: Partial<Parameters<typeof addAccountOfUser>[1]> = {}) =>
  addAccountOfUser(rest, { projectId: author.projectId, app, userId, ...given });
const setNetwork = (sessionId: string) =>
  rest.context.db
    .updateTable('connect_sessions')
    .set({ platform: 'facebook' })
    .where('id', '=', sessionId)
    .execute();
const readSession = async (id: string) =>
  (await rest.call('GET', `/v1/connect/sessions/${id}`, { key: author.key })).body.data;

/** The planted account, connected by the user at Facebook. */
async function plantAtFacebook() {
  const { db, vault } = rest.context;
  const { projectId } = author;
  const grant_id = await addGrant(db, { projectId, platform: 'facebook', appId: app.id }, vault);
  const traits = { handle: 'planted-trait', user_id: userId };
  const made = await plant(rest, author, { platform: 'facebook', grant_id, traits });
  await setNetwork(made.sessionId);
  return made;
}

describe('a deletion', () => {
  test('leaves no name, ID or answer in the database', async () => {
    const { db } = rest.context;
    const { accountId, published, sessionId } = await plantAtFacebook();
    await deliverAll(rest);
    expect(await findPlanted(rest)).toEqual(planted);
    expect(await dump(db)).toContain(userId);

    const answer = await send();
    expect(answer.status).toBe(200);
    expect(answer.code).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.body).toEqual({
      url: `http://fanfare.test/data-deletion/${answer.code}`,
      confirmation_code: answer.code,
    });
    expect(await readGranted(db, accountId)).toMatchObject({
      status: 'disconnected',
      account_name: 'Erased account',
      external_user_id: null,
      traits: {},
      credentials: null,
    });
    expect(await changesOf(db, accountId)).toEqual(['disconnected', 'erased']);
    expect(await readSession(sessionId)).toMatchObject({
      status: 'canceled',
      external_user_id: null,
    });
    expect(stateIn(await show(answer.code))).toBe('received');

    await deliverAll(rest);
    expect(await pruneAccounts(db)).toBeNull();
    expect(await findPlanted(rest)).toEqual([]);
    expect(await dump(db)).not.toContain(userId);
    expect(await readErasure(db, accountId)).toMatchObject({ is_erased: true, erase_at: null });
    expect(stateIn(await show(answer.code))).toBe('erased');
    const { results } = await author.read(published.id);
    expect(results[0]).toMatchObject({ status: 'published', external_id: null, url: null });
  });

  test('says in its event that the access was revoked', async () => {
    const id = await add();
    await send();
    const event = await rest.context.db
      .selectFrom('events')
      .select(['kind', 'body'])
      .where('social_account_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(event.kind).toBe('account.disconnected');
    expect(JSON.parse(event.body).data).toMatchObject({ reason: 'revoked' });
  });

  test('has a code, and is complete, if its user is unknown', async () => {
    const { status, code } = await send(payloadOf('99'));
    expect(status).toBe(200);
    expect(stateIn(await show(code))).toBe('erased');
  });

  test('has the same code if it is asked for again, and erases what is left', async () => {
    const payload = payloadOf(userId);
    const { code } = await send(payload);
    expect(stateIn(await show(code))).toBe('erased');
    const id = await add();
    expect((await send(payload)).code).toBe(code);
    expect(await read(id)).toBe('disconnected');
    expect(stateIn(await show(code))).toBe('received');
    expect((await send(payloadOf(userId, { issued_at: nowS() - 60 }))).code).not.toBe(code);
  });

  test('erases accounts of earlier logins, even if they are disconnected', async () => {
    const gone = { grant_id: null, status: 'disconnected', disconnected_at: new Date() } as const;
    const ids = [
      await add({ columns: gone }),
      await add({ columns: { status: 'reconnect_required' } }),
      await add({ app: null }),
    ];
    await send();
    for (const id of ids) {
      expect((await readErasure(rest.context.db, id)).is_erased).toBe(true);
    }
  });

  test('is not shown as complete if it is interrupted, and is completed by pruning', async () => {
    const { context } = rest;
    const ids = [await add(), await add()];
    const config = Object.defineProperty({ ...context.config }, 'retention', {
      get: () => {
        throw new Error('The process ends here.');
      },
    });
    const signed = signRequest(payloadOf(userId), appSecret);
    const answer = await sendCall({ ...context, config }, app, 'data-deletion', signed);
    expect(answer.status).toBe(500);
    const { code } = await context.db
      .selectFrom('data_deletions')
      .select('code')
      .where('app_id', '=', app.id)
      .executeTakeFirstOrThrow();
    expect(stateIn(await show(code))).toBe('received');
    for (let runs = 0; runs < 3; runs++) {
      await pruneAccounts(context.db);
      await deliverAll(rest);
    }
    for (const id of ids) {
      expect(await readGranted(context.db, id)).toMatchObject({
        status: 'disconnected',
        account_name: 'Erased account',
        credentials: null,
      });
      expect(await changesOf(context.db, id)).toEqual(['disconnected', 'erased']);
    }
    expect(await dump(context.db)).not.toContain(userId);
    expect(stateIn(await show(code))).toBe('erased');
  });

  test('keeps a login that is newer than the request', async () => {
    const id = await add();
    await send(payloadOf(userId, { issued_at: nowS() - 3_600 }));
    expect(await read(id)).toBe('active');
  });

  test('keeps an account that is newer than the request, even if it is disconnected', async () => {
    const payload = payloadOf(userId, { issued_at: nowS() - 3_600 });
    const columns = {
      grant_id: null,
      status: 'disconnected',
      disconnected_at: new Date(),
    } as const;
    const id = await add({ columns });
    await send(payload);
    expect((await readErasure(rest.context.db, id)).is_erased).toBe(false);
  });

  test('keeps other accounts of the user, and connect sessions at other networks', async () => {
    const { key, projectId } = author;
    const columns = { external_user_id: plantedUser };
    await add({ columns });
    const kept = [await rest.insertAccount(projectId, columns), await add({ userId: '43' })];
    const [ended, other] = [await plantSession(rest, key), await plantSession(rest, key)];
    await setNetwork(ended);
    await send();
    for (const id of kept) expect(await read(id)).toBe('active');
    expect(await readSession(ended)).toMatchObject({ status: 'canceled', external_user_id: null });
    expect(await readSession(other)).toMatchObject({
      status: 'pending',
      external_user_id: plantedUser,
    });
  });

  test('erases nothing if it is sent to another app', async () => {
    const gone = { grant_id: null, status: 'disconnected' } as const;
    const ids = [await add(), await add({ columns: gone })];
    const stranger = await rest.createTenant();
    const theirs = await addMetaApp(rest.context, stranger.projectId);
    const { code } = await send(payloadOf(userId), { to: theirs });
    expect(stateIn(await show(code))).toBe('erased');
    expect(await Promise.all(ids.map(read))).toEqual(['active', 'disconnected']);
    for (const id of ids) {
      expect((await readErasure(rest.context.db, id)).is_erased).toBe(false);
    }
  });

  test("erases accounts in every project if it is sent to the operator's app", async () => {
    const operator = await addMetaApp(rest.context, null);
    const { projectId } = await rest.createTenant();
    const ids = [await add({ app: operator }), await add({ app: operator, projectId })];
    const own = await add();
    await send(payloadOf(userId), { to: operator });
    expect(await Promise.all(ids.map(read))).toEqual(['disconnected', 'disconnected']);
    expect(await read(own)).toBe('active');
  });

  test('erases nothing if it is forged', async () => {
    const id = await add();
    const refused = await send(payloadOf(userId), { secret: 'guess' });
    expect(refused).toMatchObject({
      status: 422,
      body: { error: { issues: [{ path: 'signed_request', code: 'invalid_signature' }] } },
    });
    expect(await read(id)).toBe('active');
  });
});

describe('the page of a deletion', () => {
  test('is a page of the project, without anything of the user', async () => {
    const body = { name: 'Acme & Co', privacy_url: 'https://example.com/privacy' };
    await rest.call('PATCH', '/v1/project', { key: author.key, body });
    await add({ columns: { account_name: 'planted-name' } });
    const { code } = await send();
    const { status, html } = await show(code);
    expect(status).toBe(200);
    expect(html).toContain('<h1>Your request to delete your data</h1>');
    expect(html).toMatch(/<header class="brand"> ?Acme &amp; Co/);
    expect(html).toContain('href="https://example.com/privacy"');
    expect(html).toContain(code);
    expect(html).toContain(`received on ${new Date().toISOString().slice(0, 10)}`);
    expect(html).not.toContain('planted');
    expect(html).not.toContain(userId);
  });

  test("names no project if the app is the operator's", async () => {
    const operator = await addMetaApp(rest.context, null);
    const { code } = await send(payloadOf('99'), { to: operator });
    expect((await show(code)).html).not.toContain('<header');
  });

  test.each(['0'.repeat(32), 'x', '%00', "' or 1=1"])('is 404 if the code is %j', async (code) => {
    const { status, html } = await show(encodeURI(code));
    expect(status).toBe(404);
    expect(html).toContain('<h1>There is no such request</h1>');
  });
});

test('ended deletions are kept for as long as posts', async () => {
  const { db } = rest.context;
  const { code } = await send(payloadOf('99'));
  const age = (days: number) =>
    db
      .updateTable('data_deletions')
      .set({ erased_at: new Date(Date.now() - days * 86_400_000) })
      .where('code', '=', code)
      .execute();
  await age(30_000);
  await pruneAccounts(db);
  expect((await show(code)).status).toBe(404);
});
