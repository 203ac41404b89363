// A network's refusal, by its status and by its own code.
import { describe, expect, test } from 'vitest';
import type { NetworkAnswer } from '../../../activities/platforms/json-client.ts';
import { toRefusal, type Refusal, type Meaning } from '../../../activities/platforms/refusal.ts';

const answerOf = (status: number, headers: Record<string, string> = {}): NetworkAnswer => ({
  status,
  headers: new Headers(headers),
  body: '',
});
const refuse = (answer: NetworkAnswer, more: Partial<Refusal> = {}) =>
  toRefusal({ network: 'Acme', kind: 'commit', answer, secrets: [], ...more });

describe('toRefusal', () => {
  test.each([
    [302, 'unavailable', 'unavailable'],
    [400, 'rejected', 'rejected'],
    [401, 'reauthorize', 'reauthorize'],
    [403, 'rejected', 'rejected'],
    [408, 'unknown_outcome', 'unavailable'],
    [422, 'rejected', 'rejected'],
    [429, 'rate_limited', 'rate_limited'],
    [500, 'unknown_outcome', 'unavailable'],
    [503, 'unknown_outcome', 'unavailable'],
  ])('reads %i as %s for a commit and as %s for another call', (status, ofCommit, ofOther) => {
    expect(refuse(answerOf(status)).kind).toBe(ofCommit);
    expect(refuse(answerOf(status), { kind: 'other' }).kind).toBe(ofOther);
  });

  test("trusts the network's code more than the status", () => {
    const as = (meaning: Meaning | undefined) => refuse(answerOf(400), { code: 'known', meaning });
    expect(as('revoked')).toMatchObject({ kind: 'reauthorize', options: { isRevoked: true } });
    expect(as('unavailable').kind).toBe('unavailable');
    expect(as('lost').kind).toBe('unknown_outcome');
    expect(as(undefined).kind).toBe('rejected');
  });

  test("keeps the network's code and words, or else names the HTTP status", () => {
    const error = refuse(answerOf(400), { code: 'bad_text', message: 'The text is bad.' });
    expect(error.message).toBe('Acme refused the request: bad_text: The text is bad.');
    expect(error.options).toMatchObject({
      platformCode: 'bad_text',
      providerError: { status: 400, code: 'bad_text', message: 'The text is bad.' },
    });
    expect(refuse(answerOf(418)).message).toBe('Acme refused the request: HTTP 418');
  });

  test('says that the credentials are refused, not revoked, because they may be wrong', () => {
    const error = refuse(answerOf(401), { code: '401', message: '401: Unauthorized' });
    expect(error.message).toBe('Acme refused the credentials: 401: Unauthorized');
  });

  test('shows no secret, as it is or percent-encoded', () => {
    const message = 'Unknown token a/b:c in /bot/a%2Fb%3Ac/send';
    const error = refuse(answerOf(400), { code: 'a/b:c', message, secrets: ['a/b:c'] });
    const shown = JSON.stringify([error.message, error.options]);
    expect(shown).not.toMatch(/a\/b:c|a%2Fb%3Ac/);
    expect(shown).toContain('Unknown token [redacted] in /bot/[redacted]/send');
  });

  test('shows no part of a secret that the limit of the text cuts in two', () => {
    const secret = 'EAAB'.padEnd(200, 'x');
    const message = `${secret} `.repeat(25);
    const error = refuse(answerOf(400), { message, secrets: [secret] });
    const shown = JSON.stringify([error.message, error.options]);
    expect(shown).toContain('[redacted]');
    expect(shown).not.toMatch(/EAAB|xx/);
  });

  test('shows no token of a URL that it was given to fetch', () => {
    const token = `k1~${'x'.repeat(120)}`;
    const message = `Could not fetch https://fanfare.test/media/${token}/1.jpg.`;
    const error = refuse(answerOf(400), { code: 'no_media', message });
    expect(JSON.stringify([error.message, error.options])).not.toContain('xxx');
    expect(error.message).toContain('https://fanfare.test/media/[redacted]/1.jpg');
  });

  test('keeps the failure code of the target, and whether a quota is used up', () => {
    const failsAs = 'account_restricted';
    expect(refuse(answerOf(400), { failsAs }).options.failsAs).toBe(failsAs);
    const limited = refuse(answerOf(400), { meaning: 'rate_limited', isOutOfQuota: true });
    expect(limited).toMatchObject({ kind: 'rate_limited', options: { isOutOfQuota: true } });
  });

  test('does not grow without bound if a short secret is repeated often', () => {
    const error = refuse(answerOf(400), { message: 'e'.repeat(500_000), secrets: ['e', 'e'] });
    expect(JSON.stringify(error.options).length).toBeLessThan(1_000_000);
  });

  test("waits as long as Retry-After says: some seconds, or until a date by the network's clock", () => {
    const waitOf = (headers: Record<string, string>, more = {}) =>
      refuse(answerOf(429, headers), more).options.retryAfterMs;
    expect(waitOf({ 'retry-after': '7' })).toBe(7_000);
    expect(
      waitOf({
        date: 'Sun, 22 Nov 2026 08:00:00 GMT',
        'retry-after': 'Sun, 22 Nov 2026 08:01:00 GMT',
      }),
    ).toBe(60_000);
    expect(waitOf({})).toBeUndefined();
    expect(waitOf({ 'retry-after': '7' }, { retryAfterMs: 1_500 })).toBe(1_500);
  });
});
