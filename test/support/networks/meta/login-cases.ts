// What every login at a network of Meta must pass, and what a login with long-lived tokens must pass in
// addition.
import { describe, expect, test } from 'vitest';
import type { Grant, Platform } from '../../../../activities/platforms/platform.ts';
import { refusal } from '../../checks/platform-refusal.ts';
import type { appOf, loginOf } from '../connection.ts';
import { dayMs, type LongLivedLogins } from './logins.ts';

const never = new AbortController().signal;

type Login = ReturnType<typeof loginOf<ReturnType<typeof appOf>>>;
type LoginNetwork = Login & AsyncDisposable;

/** `usedCode`: the words in which the network refuses a code that was used. */
export function describeConsent(start: () => Promise<LoginNetwork>, usedCode: string): void {
  test('a consent is a denial if the user refuses it', async () => {
    await using network = await start();
    const { query } = await network.allow('deny');
    expect(query).toMatchObject({ error: 'access_denied', state: network.request.state });
  });

  test('a consent needs the secret of the app, and uses a code once', async () => {
    await using network = await start();
    const { query, flow } = await network.allow();
    const complete = (app = network.app) =>
      network.method.complete(query, { ...network.request, app, flow }, never);
    const wrong = await refusal(complete({ ...network.app, clientSecret: 'wrong' }));
    expect(wrong).toMatchObject({ kind: 'rejected' });
    expect(wrong.message).toContain('Error validating client secret.');
    await complete();
    const again = await refusal(complete());
    expect(again).toMatchObject({ kind: 'rejected' });
    expect(again.message).toContain(usedCode);
    expect(JSON.stringify([again.message, again.options])).not.toContain(query['code']);
  });
}

interface LongLivedNetwork extends LoginNetwork {
  readonly server: { readonly calls: string[]; readonly logins: LongLivedLogins };
}

interface LongLivedFacts<Network extends LongLivedNetwork> {
  start(): Promise<Network>;
  platformOf(network: Network): Platform;
  /** The network reports how old a token is. */
  tellsAge: boolean;
}

export function describeLongLivedTokens<Network extends LongLivedNetwork>({
  start,
  platformOf,
  tellsAge,
}: LongLivedFacts<Network>): void {
  describeConsent(start, 'Matching code was not found or was already used');

  /** Logs in with a token that was issued this long ago. */
  async function logIn(network: Network, agoMs: number): Promise<Grant['credentials']> {
    network.server.logins.issuedBeforeMs = agoMs;
    const { credentials } = await network.logIn();
    network.server.calls.length = 0;
    return tellsAge ? credentials : { ...credentials, issued_at: String(Date.now() - agoMs) };
  }

  const refresh = (network: Network, credentials: Grant['credentials']) =>
    platformOf(network).refresh!({ credentials, app: network.app }, never);

  describe('a refresh', () => {
    test('extends a token that is 24 hours old', async () => {
      await using network = await start();
      const old = await logIn(network, 2 * dayMs);
      const { credentials, tokenExpiresAt } = await refresh(network, old);
      expect(credentials['access_token']).not.toBe(old['access_token']);
      expect(Number(credentials['issued_at'])).toBeGreaterThan(Date.now() - 60_000);
      expect(tokenExpiresAt!.getTime()).toBeGreaterThan(Date.now() + 59 * dayMs);
    });

    test('waits without a call while the token is less than a day old', async () => {
      await using network = await start();
      const young = await logIn(network, dayMs - 3_600_000);
      const { kind, options } = await refusal(refresh(network, young));
      expect(kind).toBe('unavailable');
      expect(options.retryAfterMs).toBeGreaterThan(3_500_000);
      expect(options.retryAfterMs).toBeLessThanOrEqual(3_601_000);
      expect(network.server.calls).toEqual([]);
    });

    test('leaves the token until it expires if the network refuses', async () => {
      await using network = await start();
      const { access_token } = await logIn(network, 0);
      // An imported token's age is unknown.
      expect(await refusal(refresh(network, { access_token: access_token! }))).toMatchObject({
        kind: 'unavailable',
        options: { platformCode: '100' },
      });
    });

    test('ends the login if the token has expired', async () => {
      await using network = await start();
      const old = await logIn(network, 2 * dayMs);
      network.server.logins.expireAll();
      const error = await refusal(refresh(network, old));
      expect(error).toMatchObject({ kind: 'reauthorize', options: { platformCode: '190/463' } });
      expect(error.message).toContain('The login has expired. Connect the account again.');
      const shown = JSON.stringify([error.message, error.options]);
      expect(shown).not.toContain(old['access_token']);
    });
  });
}
