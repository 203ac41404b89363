// A network that no longer accepts our credentials: one process refreshes them, a failed refresh
// disconnects the account, the user may reconnect it.
import { describe, expect, test } from 'vitest';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { defaultTargetClock } from '../../../schema/retry.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addGrant, readGranted } from '../../support/rows/grants.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { useScriptedNetwork } from '../../support/scripted-network.ts';
import {
  addAccount,
  addTargets,
  advanceToEnd,
  getResult,
  targetRun,
  addTarget,
} from '../../support/rows/targets.ts';

const database = useDatabase();

const network = useScriptedNetwork();
const dependencies = forEachTest(() => dependenciesOf(database.db, network, defaultTargetClock));

const createTarget = () => addTarget(database.db);

const advance = (resultId: string) => advanceToEnd(dependencies, resultId);

const readAccount = (accountId: string) => readGranted(database.db, accountId);

/** Another account of the same project. */
async function addSibling(accountId: string, externalAccountId: string): Promise<void> {
  const { project_id, platform, connection_type, status } = await readAccount(accountId);
  const columns = { project_id, platform, connection_type, status, account_name: 'eve' };
  await database.db
    .insertInto('social_accounts')
    .values({ id: newId('account'), external_account_id: externalAccountId, ...columns })
    .execute();
}

/** Reconnects the account. */
async function reconnect(accountId: string, token: string): Promise<void> {
  const { project_id: projectId } = await readAccount(accountId);
  const grant_id = await addGrant(database.db, { projectId, credentials: { token } });
  await database.db
    .updateTable('social_accounts')
    .set({ grant_id, status: 'active' })
    .where('id', '=', accountId)
    .execute();
}

describe('an expired token', () => {
  test('is refreshed once, and the target continues', async () => {
    const { resultId, accountId } = await createTarget();
    network.expiredTokens.add('t');
    expect(await advance(resultId)).toMatchObject({ status: 'published' });
    expect(network.refreshes).toBe(1);
    const account = await readAccount(accountId);
    expect(account).toMatchObject({ credential_version: 2, refresh_lease_id: null });
  });

  test('is refreshed once if two targets of its account are published at once', async () => {
    const first = await createTarget();
    const second = await createTarget();
    await database.db
      .updateTable('post_results')
      .set({ social_account_id: first.accountId })
      .where('id', '=', second.resultId)
      .execute();
    network.expiredTokens.add('t');
    const ended = await Promise.all([advance(first.resultId), advance(second.resultId)]);
    expect(ended.map((row) => row.status)).toEqual(['published', 'published']);
    expect(network.refreshes).toBe(1);
  });

  test('disconnects an account only when fresh tokens are refused repeatedly', async () => {
    const { resultId } = await createTarget();
    for (const token of ['t', 't+', 't++']) network.expiredTokens.add(token);
    expect(await advance(resultId)).toMatchObject({ status: 'published' });
    const other = await createTarget();
    network.expiredTokens.add('t+++');
    expect(await advance(other.resultId)).toMatchObject({
      status: 'failed',
      error_code: 'token_expired',
    });
    expect(network.refreshes).toBe(6);
  });

  test('sends one event when an account must be reconnected', async () => {
    const { resultId, accountId } = await createTarget();
    network.expiredTokens.add('t');
    network.refreshError = new PlatformError('reauthorize', 'The refresh token has expired.');
    expect(await advance(resultId)).toMatchObject({
      status: 'failed',
      error_code: 'token_expired',
      next_action: 'reconnect_account',
    });
    const events = await database.db
      .selectFrom('events')
      .select(['kind', 'body'])
      .where('social_account_id', '=', accountId)
      .execute();
    expect(events.map((event) => event.kind)).toEqual(['account.disconnected']);
    expect(JSON.parse(events[0]!.body).data.reason).toBe('token_expired');
  });

  test('that the network revokes during a phase is reported with that phase', async () => {
    const { resultId } = await createTarget();
    network.script = ['revoke_token'];
    expect(await advance(resultId)).toMatchObject({
      error_code: 'token_revoked',
      failure_stage: 'commit',
    });
  });
});

describe('a refresh', () => {
  test('disconnects the account, and does not count the post as rejected, if the network rejects the refresh', async () => {
    const { resultId, accountId } = await createTarget();
    network.expiredTokens.add('t');
    const words = 'invalid_client';
    network.refreshError = new PlatformError('rejected', words, { platformCode: words });
    expect(await advance(resultId)).toMatchObject({
      status: 'failed',
      error_code: 'token_expired',
      error_message: words,
      platform_error_code: words,
      next_action: 'reconnect_account',
    });
    expect((await readAccount(accountId)).status).toBe('reconnect_required');
  });

  test.each([Number.NaN, Date.UTC(2020, 0), Date.UTC(10_000, 0), 8.64e15])(
    'is accepted without an expiry if the network names the invalid expiry %d',
    async (expiresMs) => {
      const { resultId, accountId } = await createTarget();
      network.expiredTokens.add('t');
      network.refreshed = { tokenExpiresAt: new Date(expiresMs), accountName: 'a\0b' };
      expect(await advance(resultId)).toMatchObject({ status: 'published', attempts: 2 });
      expect(await readAccount(accountId)).toMatchObject({
        status: 'active',
        account_name: 'ada',
        token_expires_at: null,
        credential_version: 2,
      });
    },
  );

  test('changes the account name if it returns a new name', async () => {
    const { resultId, accountId } = await createTarget();
    network.expiredTokens.add('t');
    network.refreshed = { accountName: 'handle.invalid' };
    await advance(resultId);
    expect((await readAccount(accountId)).account_name).toBe('handle.invalid');
  });

  test('changes the external account ID if it returns a new ID', async () => {
    const { resultId, accountId } = await createTarget();
    network.expiredTokens.add('t');
    network.refreshed = { externalAccountId: 'ada-2' };
    expect(await advance(resultId)).toMatchObject({ status: 'published' });
    expect(await readAccount(accountId)).toMatchObject({
      external_account_id: 'ada-2',
      credential_version: 2,
    });
  });

  test('keeps the external account ID if another account of the project has the new ID', async () => {
    const { resultId, accountId } = await createTarget();
    await addSibling(accountId, 'ada-2');
    network.expiredTokens.add('t');
    network.refreshed = { externalAccountId: 'ada-2' };
    expect(await advance(resultId)).toMatchObject({ status: 'published' });
    expect(await readAccount(accountId)).toMatchObject({
      status: 'active',
      external_account_id: 'ada',
      credential_version: 2,
    });
  });

  test('changes the external account ID even if an account of another project has the new ID', async () => {
    const { resultId, accountId } = await createTarget();
    const other = await addAccount(database.db);
    await addSibling(other.accountId, 'ada-2');
    network.expiredTokens.add('t');
    network.refreshed = { externalAccountId: 'ada-2' };
    await advance(resultId);
    expect((await readAccount(accountId)).external_account_id).toBe('ada-2');
  });

  test.each(['', 'a\0b', 'x'.repeat(2_049)])(
    'keeps the external account ID if the new ID cannot be stored (%#)',
    async (externalAccountId) => {
      const { resultId, accountId } = await createTarget();
      network.expiredTokens.add('t');
      network.refreshed = { externalAccountId };
      expect(await advance(resultId)).toMatchObject({ status: 'published' });
      expect((await readAccount(accountId)).external_account_id).toBe('ada');
    },
  );

  test.each(['a\0b', 'x'.repeat(40_000)])(
    "requires a reconnect if its tokens can't be sent in a header (%#)",
    async (token) => {
      const { resultId, accountId } = await createTarget();
      network.expiredTokens.add('t');
      network.refreshed = { credentials: { token } };
      expect(await advance(resultId)).toMatchObject({ error_code: 'token_expired' });
      expect((await readAccount(accountId)).status).toBe('reconnect_required');
    },
  );

  test('that is rate-limited delays the other targets of the account too', async () => {
    const account = await addAccount(database.db);
    const first = await addTargets(database.db, account);
    network.expiredTokens.add('t');
    network.refreshError = new PlatformError('rate_limited', 'Slow.', { retryAfterMs: 60_000 });
    await advanceTarget(dependencies, { resultId: first.resultIds[0]!, run: targetRun });
    const second = await addTargets(database.db, account);
    const next = { resultId: second.resultIds[0]!, run: targetRun };
    expect((await advanceTarget(dependencies, next)).waitMs).toBeGreaterThan(50_000);
    expect(network.refreshes).toBe(1);
    expect((await readAccount(account.accountId)).status).toBe('active');
  });

  test.each([true, false])(
    'that fails lets the target use a new login that the user made meanwhile: old login revoked %s',
    async (isRevoked) => {
      const { resultId, accountId } = await createTarget();
      network.expiredTokens.add('t');
      network.refreshError = new PlatformError('reauthorize', 'It has ended.', { isRevoked });
      network.onRefresh = () => reconnect(accountId, 'new');
      expect(await advance(resultId)).toMatchObject({ status: 'published', attempts: 2 });
      expect((await readAccount(accountId)).status).toBe('active');
    },
  );

  test('fails the target after at most four attempts if each new login of the user expires too', async () => {
    const { resultId, accountId } = await createTarget();
    for (const token of ['t', '1', '2', '3', '4', '5']) network.expiredTokens.add(token);
    network.refreshError = new PlatformError('reauthorize', 'It has ended.');
    network.onRefresh = () => reconnect(accountId, String(network.refreshes));
    expect(await advance(resultId)).toMatchObject({ error_code: 'token_expired' });
    expect(network.refreshes).toBeLessThanOrEqual(4);
    expect((await getResult(database.db, resultId)).attempts).toBeLessThanOrEqual(4);
  });
});
