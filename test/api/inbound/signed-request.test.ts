// The signed requests of Meta: forged, foreign, altered, old, and those that others have signed.
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { findSignedRequest, readSignedRequest } from '../../../api/inbound/signed-request.ts';
import { nowS, payloadOf, signRequest } from '../../support/networks/meta/callbacks.ts';

const secret = 'secret-of-the-app';
const hourS = 3_600;
const read = (payload: object) => readSignedRequest(signRequest(payload, secret), secret);

describe('a request', () => {
  test('is read if another program has signed it', () => {
    // From the tests of https://crates.io/crates/facebook-signed-request
    const given =
      'Mf_s6nTb38UYqioBmPqu0Ewm9souPZB9I2fIGwV729U.eyJ1c2VyX2lkIjoiMCIsImFsZ29yaXRobSI6IkhNQUMtU0hBMjU2IiwiaXNzdWVkX2F0IjoxNjI0MjQ0MTU2fQ';
    const issuedAtMs = 1_624_244_156_000;
    expect(readSignedRequest(given, 'key', issuedAtMs)).toEqual({
      userId: '0',
      issuedAtMs,
      payload: given.split('.')[1],
    });
  });

  test('names its user by a text or by a number, with every digit', () => {
    expect(read(payloadOf('218471'))).toMatchObject({ userId: '218471' });
    expect(read(payloadOf(218_471))).toMatchObject({ userId: '218471' });
    const text = Buffer.from(
      `{"algorithm":"HMAC-SHA256","issued_at":${nowS()},"user_id":17841405793187218}`,
    ).toString('base64url');
    const signature = createHmac('sha256', secret).update(text).digest('base64url');
    const signed = readSignedRequest(`${signature}.${text}`, secret);
    expect(signed).toMatchObject({ userId: '17841405793187218' });
  });

  test.each([
    ['of another algorithm', payloadOf('1', { algorithm: 'HMAC-SHA1' }), 'invalid_signature'],
    ['without an algorithm', payloadOf('1', { algorithm: undefined }), 'invalid_signature'],
    ['without a user', payloadOf(undefined), 'invalid_signature'],
    ['with a name as its user', payloadOf("1' or '1"), 'invalid_signature'],
    ['without a time', payloadOf('1', { issued_at: undefined }), 'invalid_signature'],
    ['from yesterday', payloadOf('1', { issued_at: nowS() - 25 * hourS }), 'expired'],
    ['from the future', payloadOf('1', { issued_at: nowS() + hourS }), 'expired'],
  ])('%s is refused', (_, payload, flaw) => {
    expect(read(payload)).toBe(flaw);
  });

  test('is read if it is some hours old, or from a clock that is ahead', () => {
    for (const issued_at of [nowS() - 23 * hourS, nowS() + 300]) {
      expect(read(payloadOf('1', { issued_at }))).toMatchObject({ userId: '1' });
    }
  });

  test('is refused if the secret has not signed it', () => {
    const [signature, payload] = signRequest(payloadOf('1'), secret).split('.') as [string, string];
    const [, other] = signRequest(payloadOf('2'), secret).split('.') as [string, string];
    for (const given of [
      signRequest(payloadOf('1'), 'secret-of-another-app'),
      `${signature}.${other}`,
      `.${payload}`,
      payload,
      `${signature.slice(0, -4)}.${payload}`,
      `${signature}.${payload}.`,
      `${signature}.`,
      '.',
      '',
    ]) {
      expect(readSignedRequest(given, secret), given).toBe('invalid_signature');
    }
  });

  test('is refused by an app without a secret', () => {
    expect(readSignedRequest(signRequest(payloadOf('1'), ''), '')).toBe('invalid_signature');
  });

  test('is found in a form, and in JSON', () => {
    expect(findSignedRequest('a=1&signed_request=s.p%3D')).toBe('s.p=');
    expect(findSignedRequest('{"signed_request":"s.p"}')).toBe('s.p');
    for (const body of ['', 'a=1', '{}', '{"signed_request":1}', '{', '[]']) {
      expect(findSignedRequest(body), body).toBeUndefined();
    }
    expect(readSignedRequest(undefined, secret)).toBe('required');
  });
});
