// The health of an account in both APIs, and the list of accounts whose login ends soon.
import { beforeEach, describe, expect, test } from 'vitest';
import { loadAccess } from '../../../activities/logins/credentials.ts';
import { setReconnectRequired } from '../../../activities/logins/end-grants.ts';
import { useRest, type TestKey } from '../../support/app/rest.ts';
import { addGrant } from '../../support/rows/grants.ts';
import { addTargets } from '../../support/rows/targets.ts';
import { quietNotifier } from '../../support/rows/quiet-transaction.ts';

const dayMs = 86_400_000;
const rest = useRest();

let tenant: TestKey;

beforeEach(async () => {
  tenant = await rest.createTenant();
});

const inDays = (days: number) => new Date(Date.now() + days * dayMs);

interface Login {
  /** Until the token expires. */
  days?: number | null;
  isRefreshed?: boolean;
  failures?: number;
}

async function addAccount({ days = null, isRefreshed = false, failures = 0 }: Login = {}) {
  const { projectId } = tenant;
  const { db, vault } = rest.context;
  const grant_id = await addGrant(
    db,
    {
      projectId,
      platform: 'bluesky',
      tokenExpiresAt: days === null ? null : inDays(days),
      refreshAt: isRefreshed ? inDays(1) : null,
    },
    vault,
  );
  await db
    .updateTable('grants')
    .set({ refresh_failures: failures })
    .where('id', '=', grant_id)
    .execute();
  return rest.insertAccount(projectId, { grant_id });
}

async function getHealth(id: string) {
  const answer = await rest.call('GET', `/v1/accounts/${id}/health`, { key: tenant.key });
  expect(answer.status).toBe(200);
  return answer.body.data;
}

async function listIds(query: string): Promise<string[]> {
  const { body } = await rest.call('GET', `/v1/accounts${query}`, { key: tenant.key });
  return body.data.map(({ id }: { id: string }) => id);
}

const codesOf = ({ issues }: { issues: { code: string }[] }) => issues.map(({ code }) => code);

describe('the health of an account', () => {
  test.each<[string, Login, string, string[]]>([
    ['a login without an end', {}, 'ok', []],
    ['a login that ends later', { days: 8 }, 'ok', []],
    ['a login that ends soon', { days: 6 }, 'warning', ['token_expiring']],
    ['a login that has ended', { days: -1 }, 'error', ['token_expired']],
    ['a login that is refreshed', { days: 0.1, isRefreshed: true }, 'ok', []],
    ['two failed refreshes', { days: -1, isRefreshed: true, failures: 2 }, 'ok', []],
    [
      'three failed refreshes',
      { days: -1, isRefreshed: true, failures: 3 },
      'warning',
      ['refresh_failing'],
    ],
  ])('depends on its login: %s', async (_, login, status, codes) => {
    const health = await getHealth(await addAccount(login));
    expect(health).toMatchObject({ status, platform: 'bluesky', account_name: expect.any(String) });
    expect(codesOf(health)).toEqual(codes);
    expect(health.last_successful_post_at).toBeNull();
    const days = (Date.parse(health.token_expires_at) - Date.now()) / dayMs;
    if (login.days === undefined) expect(health.token_expires_at).toBeNull();
    else expect(days).toBeCloseTo(login.days!, 2);
  });

  test('is an error if the account must be connected again', async () => {
    const id = await addAccount();
    const dependencies = { ...rest.context, notifier: quietNotifier, previewEvents: false };
    const access = await loadAccess(dependencies, id);
    await setReconnectRequired(dependencies, access!, 'revoked');
    const health = await getHealth(id);
    expect(health.status).toBe('error');
    expect(codesOf(health)).toEqual(['reconnect_required']);
    expect(health.issues[0].message).toContain('connect session');
  });

  test('is an error if the account was disconnected', async () => {
    const id = await addAccount();
    await rest.call('DELETE', `/v1/accounts/${id}`, { key: tenant.key });
    const health = await getHealth(id);
    expect(health.status).toBe('error');
    expect(codesOf(health)).toEqual(['disconnected']);
  });

  test('names the last post that was published, in the order of publication', async () => {
    const { db } = rest.context;
    const accountId = await addAccount();
    const account = { projectId: tenant.projectId, accountId };
    const publishedAt = [inDays(-2), inDays(-1), inDays(-3), null];
    for (const published_at of publishedAt) {
      const { resultIds } = await addTargets(db, account);
      const status = published_at ? 'published' : 'failed';
      const columns = { published_at, status } as const;
      await db.updateTable('post_results').set(columns).where('id', '=', resultIds[0]!).execute();
    }
    const { last_successful_post_at } = await getHealth(accountId);
    expect(last_successful_post_at).toBe(publishedAt[1]!.toISOString());
  });

  test("is hidden from another project's key", async () => {
    const id = await addAccount();
    const { key } = await rest.createTenant();
    const { status } = await rest.call('GET', `/v1/accounts/${id}/health`, { key });
    expect(status).toBe(404);
  });
});

test('accounts whose login ends soon are listed, and stay active', async () => {
  const soon = await addAccount({ days: 6 });
  const over = await addAccount({ days: -1 });
  const later = await addAccount({ days: 8 });
  const refreshed = await addAccount({ days: 1, isRefreshed: true });
  const lasting = await addAccount();
  const gone = await addAccount({ days: 6 });
  await rest.call('DELETE', `/v1/accounts/${gone}`, { key: tenant.key });
  expect(await listIds('?status=expiring')).toEqual([over, soon]);
  expect(await listIds('?status=active')).toEqual([lasting, refreshed, later, over, soon]);
  const refused = await rest.call('GET', '/v1/accounts?status=ending', { key: tenant.key });
  expect(refused.status).toBe(422);
});
