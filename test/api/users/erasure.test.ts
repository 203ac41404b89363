// Erased users and accounts: no table has any of their names, IDs or answers.
import { describe, expect, test } from 'vitest';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import { setPublished } from '../../../schema/database/posts/grouped-steps.ts';
import { endAttempt } from '../../../schema/database/posts/target-steps.ts';
import { findTarget } from '../../../schema/database/posts/targets.ts';
import { useRest } from '../../support/app/rest.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { changesOf } from '../../support/receivers/delivery-rows.ts';
import { pruneAccounts, readErasure } from '../../support/rows/erasures.ts';
import {
  deliverAll as deliverAllOf,
  findPlanted as findPlantedIn,
  plant as plantIn,
  planted,
  plantedAccount,
  plantedUser,
  plantSession,
  rejectedCall,
} from '../../support/rows/planted.ts';
import {
  claim,
  conclude,
  createStarted,
  inSeconds,
  publishTarget,
  runOf,
  useAuthor,
} from '../../support/rows/posts.ts';
import { quietNotifier } from '../../support/rows/quiet-transaction.ts';

const rest = useRest();
const author = useAuthor(rest);

const user = plantedUser;
const account = plantedAccount;
const findPlanted = () => findPlantedIn(rest);
const plant = () => plantIn(rest, author);
const deliverAll = () => deliverAllOf(rest);
const createSession = (key = author.key, external_user_id = user) =>
  plantSession(rest, key, external_user_id);

const prune = () => pruneAccounts(rest.context.db);

const readSession = async (id: string) =>
  (await rest.call('GET', `/v1/connect/sessions/${id}`, { key: author.key })).body.data;

const erase = (path: string, key = author.key) => rest.call('DELETE', path, { key });
const eraseUser = (id = user, key = author.key) => erase(`/v1/users/${id}`, key);

describe('DELETE /v1/users/:external_user_id', () => {
  test('leaves no name, ID or answer in the database', async () => {
    const { accountId, published, failedId } = await plant();
    await deliverAll();
    expect(await findPlanted()).toEqual(planted);
    expect((await eraseUser()).status).toBe(204);
    const { key } = author;
    const shown = await rest.call('GET', `/v1/accounts/${accountId}`, { key });
    expect(shown.body.data).toMatchObject({
      status: 'disconnected',
      account_name: 'Erased account',
      external_account_id: `erased:${accountId}`,
      external_user_id: null,
    });
    expect((await rest.call('GET', `/v1/users/${user}`, { key })).status).toBe(404);
    expect(await changesOf(rest.context.db, accountId)).toEqual(['disconnected', 'erased']);
    await deliverAll();
    expect(await prune()).toBeNull();
    expect(await findPlanted()).toEqual([]);
    expect(await readErasure(rest.context.db, accountId)).toMatchObject({ erase_at: null });

    const { results } = await author.read(published.id);
    expect(results[0]).toMatchObject({
      id: published.resultIds[0],
      status: 'published',
      published_at: expect.any(String),
      account_name: 'Erased account',
      external_id: null,
      url: null,
    });
    expect(results[1]).toMatchObject({ external_id: `at-network-${published.resultIds[1]}` });
    const { content_hash, error_code } = (await findTarget(rest.context.db, failedId))!;
    expect({ content_hash, error_code }).toEqual({ content_hash: null, error_code: 'rejected' });
  });

  test('waits for events that are being delivered, and for targets that are being published', async () => {
    const { accountId } = await plant();
    const open = await createStarted(rest, author, { account_ids: [accountId], caption: 'open' });
    await eraseUser();
    expect(await prune()).toBeNull();
    expect(await findPlanted()).toContain('planted-post-id');
    await deliverAll();
    await prune();
    expect(await findPlanted()).not.toContain('planted-post-id');
    const { erase_at } = await readErasure(rest.context.db, accountId);
    expect(erase_at).not.toBeNull();
    await publishTarget(rest, open.resultIds[0]);
    await conclude(rest, open.id);
    await deliverAll();
    await prune();
    expect((await author.read(open.id)).results[0]).toMatchObject({
      status: 'published',
      external_id: null,
    });
    expect(await findPlanted()).toEqual([]);
  });

  test('is not undone by the late answers of superseded calls', async () => {
    const { failedId } = await plant();
    const { db } = rest.context;
    const call = (await findTarget(db, failedId))!;
    await eraseUser();
    await deliverAll();
    await prune();
    await endAttempt(db, failedId, 1, rejectedCall);
    const late = { externalId: 'planted-post-id', url: 'planted-url', visibility: null };
    const detail = { note: 'planted-attempt-detail' };
    const published = { ...late, detail };
    await setPublished(db, quietNotifier, { row: call, published, durationMs: 1 });
    expect(await findPlanted()).toEqual([]);
  });

  test('erases an account that is named like an erased account', async () => {
    const name = { account_name: 'Erased account', external_user_id: 'named' };
    const id = await rest.insertAccount(author.projectId, { ...account, ...name });
    const post = await createStarted(rest, author, { account_ids: [id] });
    await publishTarget(rest, post.resultIds[0], { note: 'planted-attempt-detail' });
    await conclude(rest, post.id);
    await eraseUser('named');
    await deliverAll();
    await prune();
    expect((await author.read(post.id)).results[0]).toMatchObject({ external_id: null });
    expect(await findPlanted()).toEqual([]);
  });

  test('erases a user who has only connect sessions, and cancels open ones', async () => {
    const id = await createSession();
    expect(await readSession(id)).toMatchObject({ status: 'pending', external_user_id: user });
    expect((await eraseUser()).status).toBe(204);
    expect(await readSession(id)).toMatchObject({ status: 'canceled', external_user_id: null });
    expect(await findPlanted()).toEqual([]);
  });

  test('accepts repeats and unknown users, and reaches no other project', async () => {
    await rest.insertAccount(author.projectId, { external_user_id: 'kept' });
    const { key } = await rest.createTenant();
    expect((await eraseUser('kept', key)).status).toBe(204);
    const path = '/v1/users/kept';
    const kept = await rest.call('GET', path, { key: author.key });
    expect(kept.body.data).toMatchObject({ account_count: 1 });
    for (let i = 0; i < 2; i++) expect((await eraseUser('kept')).status).toBe(204);
    expect((await rest.call('GET', path, { key: author.key })).status).toBe(404);
  });

  test('erases only the test environment with a test key', async () => {
    const { key, projectId } = author;
    const testing = await rest.createTenant({ projectId, environment: 'test' });
    await rest.insertAccount(projectId, { external_user_id: 'shared' });
    const columns = { external_user_id: 'shared', platform: 'sandbox' } as const;
    const accountId = await rest.insertAccount(projectId, columns);
    const sessions = [
      await createSession(key, 'shared'),
      await createSession(testing.key, 'shared'),
    ] as const;
    await eraseUser('shared', testing.key);
    expect((await readErasure(rest.context.db, accountId)).is_erased).toBe(true);
    const left = await rest.call('GET', '/v1/users/shared', { key });
    expect(left.body.data).toMatchObject({ platforms: [{ platform: 'bluesky' }] });
    expect(await Promise.all(sessions.map(readSession))).toMatchObject([
      { status: 'pending', external_user_id: 'shared' },
      { status: 'canceled', external_user_id: null },
    ]);
    await eraseUser('shared');
    expect(await findPlanted()).toEqual([]);
  });

  test('needs the scope accounts:write', async () => {
    const { projectId } = author;
    const { key } = await rest.createTenant({ projectId, scopes: ['accounts:read'] });
    expect((await eraseUser('kept', key)).status).toBe(403);
  });
});

describe('DELETE /v1/accounts/:id', () => {
  test('keeps names without `erase`, and erases a disconnected account with `erase`', async () => {
    const { key, projectId } = author;
    const id = await rest.insertAccount(projectId, account);
    const path = `/v1/accounts/${id}`;
    await erase(path);
    expect((await rest.call('GET', path, { key })).body.data.account_name).toBe('planted-name');
    expect((await erase(`${path}?erase=true`)).status).toBe(204);
    expect((await erase(`${path}?erase=true`)).status).toBe(204);
    expect(await changesOf(rest.context.db, id)).toEqual(['disconnected', 'erased']);
    await deliverAll();
    await prune();
    expect(await findPlanted()).toEqual([]);
  });

  test('erases this account of the user, and leaves the other accounts and their connect sessions', async () => {
    const { key, projectId } = author;
    const id = await rest.insertAccount(projectId, { external_user_id: 'one' });
    await rest.insertAccount(projectId, { external_user_id: 'one', platform: 'mastodon' });
    const sessionId = await createSession(key, 'one');
    await erase(`/v1/accounts/${id}?erase=true`);
    const left = await rest.call('GET', '/v1/users/one', { key });
    expect(left.body.data).toMatchObject({ platforms: [{ platform: 'mastodon' }] });
    expect(await readSession(sessionId)).toMatchObject({
      status: 'pending',
      external_user_id: 'one',
    });
    await eraseUser('one');
  });

  test('erases after the retention period', async () => {
    const { db } = rest.context;
    const id = await rest.insertAccount(author.projectId, account);
    await erase(`/v1/accounts/${id}`);
    const { erase_at } = await readErasure(db, id);
    const days = (erase_at!.getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
    await deliverAll();
    await prune();
    expect(await findPlanted()).toContain('planted-name');
    await db
      .updateTable('social_accounts')
      .set({ erase_at: new Date(Date.now() - 1_000) })
      .where('id', '=', id)
      .execute();
    await prune();
    expect(await findPlanted()).toEqual([]);
    expect(await changesOf(db, id)).toEqual(['disconnected', 'erased']);
  });
});

test('a scheduled post of an erased account fails when it is due', async () => {
  const { db, platforms } = rest.context;
  const id = await rest.insertAccount(author.projectId, { external_user_id: 'later' });
  const post = await author.create({ account_ids: [id], scheduled_at: inSeconds(3_600) });
  await eraseUser('later');
  await deliverAll();
  await prune();
  expect((await author.read(post.id)).results[0]).toMatchObject({
    status: 'pending',
    account_name: 'Erased account',
  });
  expect(await claim(rest, post.id)).toBe(true);
  const { current_run: run } = await runOf(rest, post.id);
  const dependencies = dependenciesOf(db, { platform: platforms.get('bluesky')! });
  await advanceTarget(dependencies, { resultId: post.results[0]!.id, run });
  await conclude(rest, post.id);
  expect(await author.read(post.id)).toMatchObject({
    status: 'failed',
    results: [{ error_code: 'account_disconnected', account_name: 'Erased account' }],
  });
});
