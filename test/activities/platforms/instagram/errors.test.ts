// The errors of Instagram: what they mean, and the tables of them on its page.
import { describe, expect, test } from 'vitest';
import { findMetaError } from '../../../../activities/platforms/meta/errors.ts';
import {
  instagramErrors,
  instagramFailures,
} from '../../../../activities/platforms/instagram/errors.ts';
import { readErrorRows, toErrorRow, toFailureRow } from '../../../support/checks/meta-errors.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startInstagram } from '../../../support/networks/instagram/connected.ts';

test('docs/networks/instagram.md lists exactly the known errors and failures, with the same sentences', () => {
  const rows = [...instagramErrors.map(toErrorRow), ...instagramFailures.map(toFailureRow)];
  expect(readErrorRows('docs/networks/instagram.md')).toEqual(rows);
});

test('an error is classified by its subcode first', () => {
  const find = (code: number, subcode?: number, message = '') =>
    findMetaError(instagramErrors, { code, subcode, message });
  expect(find(4)).toMatchObject({ meaning: 'rate_limited', throttled: 'app' });
  expect(find(4, 2207051)).not.toHaveProperty('throttled');
  expect(find(-1)?.meaning).toBe('lost');
  expect(find(-1, 2207032)?.meaning).toBe('unavailable');
  expect(find(100)?.meaning).toBe('rejected');
  expect(find(283)?.failsAs).toBe('permission_missing');
  expect(find(300)).toBeUndefined();
  expect(find(190, 492)?.meaning).toBe('rejected');
  expect(find(190, 460)?.meaning).toBe('revoked');
});

describe('an error', () => {
  test.each([
    ['in a 200', 200, { code: 9004, error_subcode: 2207052 }, 'unavailable'],
    ['without a known code in a 500', 500, { code: 4_242 }, 'unavailable'],
    ['that passes', 400, { code: 4_242, is_transient: true }, 'unavailable'],
    ['without a known code', 400, { code: 4_242 }, 'rejected'],
    ['of a lacking permission', 403, { code: 10 }, 'rejected'],
    ['of a lacking role', 403, { code: 200 }, 'rejected'],
    ['of a restricted account', 400, { code: 25, error_subcode: 2207050 }, 'rejected'],
    ['of a limit', 400, { code: 80002 }, 'rate_limited'],
    ['of a password that was changed', 400, { code: 190, error_subcode: 460 }, 'reauthorize'],
    ['of a location', 400, { code: 'INSTAGRAM_PLATFORM_API__INVALID_LOCATION_ID' }, 'rejected'],
  ])('decides the outcome of a new container: an error %s', async (_, status, error, kind) => {
    await using network = await startInstagram();
    const answer = Response.json({ error }, { status });
    network.server.answers.push(Response.json({ data: [] }), answer);
    expect((await refusal(network.prepareStep(network.target()))).kind).toBe(kind);
  });

  test.each([
    ['that passes', 400, { code: 2, is_transient: true }, 'unknown_outcome'],
    ['in a 200', 200, { code: 4_242 }, 'unknown_outcome'],
    ['of the server', 500, { code: -1, error_subcode: 2207001 }, 'unknown_outcome'],
    ['without a known code', 400, { code: 4_242 }, 'rejected'],
    ['of a limit', 400, { code: 80002 }, 'rate_limited'],
    ['of a lost login', 400, { code: 190 }, 'reauthorize'],
  ])('decides the outcome of a publish: an error %s', async (_, status, error, kind) => {
    await using network = await startInstagram();
    const target = await network.prepare(network.target());
    network.server.answers.push(Response.json({ error }, { status }));
    expect((await refusal(network.commit(target))).kind).toBe(kind);
    expect(network.server.posts).toEqual([]);
  });

  test('says how long a limit lasts', async () => {
    await using network = await startInstagram();
    const usage = {
      '17841405793187218': [
        { type: 'instagram', call_count: 100, estimated_time_to_regain_access: 7 },
      ],
    };
    network.server.answers.push(
      Response.json(
        { error: { code: 80002, message: 'Too many calls' } },
        { status: 400, headers: { 'x-business-use-case-usage': JSON.stringify(usage) } },
      ),
    );
    expect(await refusal(network.prepareStep(network.target()))).toMatchObject({
      kind: 'rate_limited',
      options: { retryAfterMs: 420_000 },
    });
  });

  test("has Instagram's words, our sentence and the trace ID for Instagram's support", async () => {
    await using network = await startInstagram();
    const platformOptions = { location_id: '1' };
    const error = await refusal(network.prepare(network.target({ platformOptions })));
    expect(error).toMatchObject({
      kind: 'rejected',
      message:
        'Instagram refused the request: INSTAGRAM_PLATFORM_API__INVALID_LOCATION_ID: Invalid location ID The location must be the page of a place.',
      options: {
        failsAs: 'choice_gone',
        providerError: { trace_id: 'AmFGcW_3hwDB7qFbl_QdebZ' },
      },
    });
  });

  test('repeats neither the token nor the address of a file', async () => {
    await using network = await startInstagram();
    const { access_token: token } = network.grant.credentials;
    const message = `No ${token} at ${encodeURIComponent(token!)}`;
    network.server.answers.push(Response.json({ error: { code: 100, message } }, { status: 400 }));
    const { message: shown, options } = await refusal(network.prepareStep(network.target()));
    expect(JSON.stringify([shown, options])).not.toContain(token);
  });
});
