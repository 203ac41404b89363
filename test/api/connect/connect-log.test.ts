// What a consent leaves in the log: no code, state, token or cookie, however it ends.
import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { createBrowser } from '../../support/app/browser.ts';
import { beginConsent } from '../../support/app/consent.ts';
import { createTestLog } from '../../support/log.ts';
import { useHostedFlow } from '../../support/networks/oauth/hosted-flow.ts';

describe('a server that logs everything', () => {
  const { log, lines } = createTestLog('debug');
  const app = useApp({ roles: { api: true, worker: false }, log });

  test('logs an audit line for each step, without the secrets of the addresses', async () => {
    const body = { platform: 'sandbox', external_user_id: 'user-1' };
    const session = (await app.api.post('/v1/connect/sessions', body)).body.data;
    const browser = createBrowser();
    const consent = await beginConsent(browser, session.url);
    const { searchParams } = new URL(consent.url);
    const answer = await browser.request(`${app.url}/sandbox/consent`, {
      method: 'POST',
      body: new URLSearchParams({
        ...Object.fromEntries(searchParams),
        handle: 'logged',
        decision: 'allow',
      }),
    });
    const callback = new URL(answer.headers.get('Location')!);
    const [code, state] = ['code', 'state'].map((name) => callback.searchParams.get(name)!);
    const forged = new URL(callback);
    forged.searchParams.set('code', 'forged-code-of-a-stranger');
    expect((await createBrowser().visit(callback.href)).status).toBe(403);
    expect((await browser.visit(callback.href)).html).toContain('Your account is connected.');
    expect((await browser.visit(forged.href)).status).toBe(200);
    const secrets = [
      code!,
      state!,
      'forged-code',
      new URL(session.url).searchParams.get('token')!,
      browser.cookiesFor(callback.href).split('=')[1]!,
    ];
    expect(lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['connect_session created', 'account connected']),
    );
    expectNone(lines, secrets);
  });
});

describe('a consent that fails', () => {
  const flow = useHostedFlow();
  const { network } = flow;

  test.each<[string, () => unknown]>([
    [
      'the token endpoint',
      () => (network.nextTokenAnswer = Response.json({ error: 'server_error' }, { status: 500 })),
    ],
    ['the list of accounts', () => (network.accounts.length = 0)],
    ['the revocation', () => network.accounts.forEach((account) => (account.problem = 'Too new.'))],
    [
      'the configuration',
      () =>
        flow.rest.context.db.updateTable('connect_sessions').set({ platform: 'slack' }).execute(),
    ],
  ])('logs no secret when it fails at %s', async (at, fail) => {
    const { log, lines } = createTestLog('debug');
    const { platform } = flow;
    const revoke = () => Promise.reject(new Error('The network is gone.'));
    const pages = flow.createPages(at === 'the revocation' ? { ...platform, revoke } : platform, {
      log,
    });
    const browser = flow.browse(platform, pages);
    const session = await flow.createSession();
    const callback = await flow.findCallback(await beginConsent(browser, session.url));
    await fail();
    expect((await browser.visit(callback)).status).toBeGreaterThanOrEqual(400);
    const isLogged = at === 'the revocation' || at === 'the configuration';
    expect(lines).toHaveLength(isLogged ? 1 : 0);
    const { searchParams } = new URL(callback);
    expectNone(lines, [
      searchParams.get('code')!,
      searchParams.get('state')!,
      new URL(session.url).searchParams.get('token')!,
      browser.cookiesFor(callback).split('=')[1]!,
      ...network.listSecrets(),
    ]);
  });
});

function expectNone(lines: readonly object[], secrets: readonly string[]): void {
  const text = JSON.stringify(lines);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(8);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(encodeURIComponent(secret));
  }
}
