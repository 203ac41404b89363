// Logging in at Threads: what the consent asks for, the tokens of a login, and their end.
import { describe, expect, test } from 'vitest';
import { readGrant } from '../../../../activities/platforms/platform-answer.ts';
import { threads as definition } from '../../../../schema/platforms/threads.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { describeLongLivedTokens } from '../../../support/networks/meta/login-cases.ts';
import { dayMs } from '../../../support/networks/meta/logins.ts';
import { startThreads } from '../../../support/networks/threads/connected.ts';

const never = new AbortController().signal;
const allScopes = [
  'threads_basic',
  'threads_content_publish',
  'threads_manage_replies',
  'threads_read_replies',
];

describe('a consent', () => {
  test('asks for the scopes, without a challenge', async () => {
    await using network = await startThreads();
    const { url } = await network.allow();
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      response_type: 'code',
      client_id: network.app.clientId,
      redirect_uri: network.request.callbackUrl,
      scope: allScopes.join(' '),
      state: network.request.state,
    });
  });

  test('explains the error that Threads shows to a user who is no tester', async () => {
    await using network = await startThreads();
    expect(network.method.deadEnd?.('Acme')).toBe(
      "Did Threads show an error, such as 'The user has not accepted the invite to test the app'? Then the app that Acme uses may be in development mode, in which only people with a role in the app can log in. Ask Acme for an invitation and accept it, or ask Acme to publish the app. Then try again.",
    );
  });

  test('gives a long-lived token, and the account with its own ID', async () => {
    await using network = await startThreads();
    const { accounts, scope, credentials, tokenExpiresAt } = await network.logIn();
    expect(network.server.calls.slice(-4)).toEqual([
      'POST /oauth/access_token',
      'GET /access_token',
      'GET /v1.0/me',
      'GET /v1.0/debug_token',
    ]);
    // Longer than JSON's numbers are exact.
    const externalAccountId = '17841405793187218';
    const traits = { user_id: externalAccountId };
    expect(accounts).toEqual([{ externalAccountId, accountName: '@ada', traits, problem: null }]);
    expect(scope).toEqual(allScopes);
    expect(credentials['access_token']).toMatch(/^long-/);
    const days = (tokenExpiresAt!.getTime() - Date.now()) / dayMs;
    expect(days).toBeGreaterThan(59);
    expect(days).toBeLessThan(61);
    expect(Number(credentials['issued_at'])).toBeLessThan(Date.now() - dayMs);
  });

  test('works if Threads does not describe the token', async () => {
    await using network = await startThreads();
    network.server.logins.inspectsNone = true;
    const { scope, credentials } = await network.logIn();
    expect(scope).toEqual(allScopes);
    expect(Number(credentials['issued_at'])).toBeGreaterThan(Date.now() - 60_000);
  });

  test('names the permission that it lacks', async () => {
    await using network = await startThreads();
    network.server.logins.withheldScopes.add('threads_content_publish');
    const grant = await network.logIn();
    expect(grant.accounts[0]).toMatchObject({
      problem: 'The login lacks threads_content_publish.',
      lacksScope: true,
    });
    expect(() => readGrant(grant, definition.scopes)).toThrow(
      'This login lacks these permissions: threads_content_publish.',
    );
  });

  test('is refused with an explanation for the user if it lacks the basic permission', async () => {
    await using network = await startThreads();
    network.server.logins.withheldScopes.add('threads_basic');
    const error = await refusal(network.logIn());
    expect(error).toMatchObject({ kind: 'reauthorize', options: { platformCode: '100/10' } });
    expect(error.message).toContain('threads_basic permission');
  });
});

describeLongLivedTokens({
  start: startThreads,
  platformOf: ({ threads }) => threads,
  tellsAge: true,
});

describe('a token that no longer works', () => {
  test.each([
    ['graph', '190/458', 'The user has removed the app.'],
    ['api', '190', 'Connect the account again.'],
  ] as const)('is revoked, in the form %s', async (form, platformCode, words) => {
    await using network = await startThreads();
    network.server.logins.errorForm = form;
    network.server.revokeToken();
    const error = await refusal(network.prepare(network.target()));
    expect(error).toMatchObject({
      kind: 'reauthorize',
      options: { isRevoked: true, platformCode },
    });
    expect(error.message).toContain(words);
  });

  test('counts as expired, or as revoked if it is too young to expire', async () => {
    await using network = await startThreads();
    network.server.expireToken();
    const error = await refusal(network.prepare(network.target()));
    expect(error).toMatchObject({ kind: 'reauthorize', options: { platformCode: '190/463' } });
    expect(error.options.isRevoked).toBeUndefined();
    const credentials = { ...network.grant.credentials, issued_at: String(Date.now()) };
    const young = await refusal(network.prepare(network.target({ credentials })));
    expect(young).toMatchObject({ kind: 'reauthorize', options: { isRevoked: true } });
  });
});

test('an imported token reaches its account, with the scopes that it has', async () => {
  await using network = await startThreads();
  const accessToken = network.server.logins.createToken(['threads_basic']);
  const tokens = { accessToken, refreshToken: null, expiresAt: null, scope: null, instance: null };
  const { accounts, scope, tokenExpiresAt } = await network.threads.importTokens!(tokens, never);
  expect(scope).toEqual(['threads_basic']);
  expect(accounts).toMatchObject([{ accountName: '@ada', lacksScope: true }]);
  expect(tokenExpiresAt!.getTime()).toBeGreaterThan(Date.now() + 59 * dayMs);
  const wrong = network.threads.importTokens!({ ...tokens, accessToken: 'no' }, never);
  expect((await refusal(wrong)).kind).toBe('reauthorize');
});
