// Consents that meet each other: logins that nobody will use, and logins that reach the same accounts.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { formStateOf } from '../../support/app/browser.ts';
import {
  choose,
  consentOf,
  origin,
  useHostedFlow,
} from '../../support/networks/oauth/hosted-flow.ts';

const flow = useHostedFlow();
const { browse, createSession, readSession, logIn, withMethods } = flow;

/** Postgres needs so long to notice a deadlock, which a busy machine doesn't take. */
const deadlockMs = 10_000;

// The first connection of the pool, and then every later one.
beforeAll(async () => {
  const ms = sql.lit(deadlockMs);
  await sql`do $$ begin
    set deadlock_timeout = ${ms};
    execute format('alter database %I set deadlock_timeout = ${ms}', current_database());
  end $$`.execute(flow.rest.context.db);
});

describe('a login that nobody will use', () => {
  test('is revoked when another browser completes the session', async () => {
    const session = await createSession();
    const [first, second] = [browse(), browse()];
    const page = await logIn(first, session);
    await logIn(second, session);
    expect(flow.network.countLiveGrants()).toBe(2);
    await first.submit(page, choose('page-1'));
    expect(await readSession(session)).toMatchObject({ status: 'completed' });
    expect(flow.network.countLiveGrants()).toBe(1);
  });

  test('is revoked when its only account belongs to another user', async () => {
    const connectOnly = async (userId: string) => {
      const session = await createSession({ external_user_id: userId });
      return logIn(browse(withOneAccount()), session);
    };
    await connectOnly('user-1');
    const refused = await connectOnly('user-2');
    expect(refused.html).toContain('The account Bakery is connected for another user.');
    expect(flow.network.countLiveGrants()).toBe(1);
  });
});

/** The network shows only the first account of each login. */
function withOneAccount(): Platform {
  const method = consentOf(flow.platform);
  return withMethods({
    ...method,
    async complete(...given) {
      const grant = await method.complete(...given);
      return { ...grant, accounts: grant.accounts.slice(0, 1) };
    },
  });
}

test('two logins that list the same accounts in different orders are both written', async () => {
  const method = consentOf(flow.platform);
  const listing = (isReversed: boolean) =>
    withMethods({
      ...method,
      async complete(...given) {
        const grant = await method.complete(...given);
        const accounts = Array.from({ length: 20 }, (_, i) => ({
          externalAccountId: `page-${i}`,
          accountName: `Page ${i}`,
          problem: null,
        }));
        return { ...grant, accounts: isReversed ? accounts.toReversed() : accounts };
      },
    });
  const all = Array.from({ length: 20 }, (_, i) => `page-${i}`);
  const complete = async (isReversed: boolean) => {
    const session = await createSession();
    const browser = browse(listing(isReversed));
    const page = await logIn(browser, session);
    const body = new URLSearchParams([
      ['state', formStateOf(page)],
      ['decision', 'choose'],
      ...all.map((id): [string, string] => ['account', id]),
    ]);
    const init = { method: 'POST', body };
    return () => browser.request(`${origin}/connect/${session.id}`, init);
  };
  for (let round = 0; round < 3; round++) {
    const submits = await Promise.all([complete(false), complete(true), complete(true)]);
    const startedMs = performance.now();
    const answers = await Promise.all(submits.map((submit) => submit()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(performance.now() - startedMs).toBeLessThan(deadlockMs);
  }
});
