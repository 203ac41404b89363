// The options of `verify`: the account, what is published, and refusals.
import { describe, expect, test } from 'vitest';
import { InvalidArgument } from '../../../../api/cli/invalid-argument.ts';
import { readVerifyOptions, type VerifyArguments } from '../../../../api/cli/verify/options.ts';
import { readConfig } from '../../../../schema/config/config.ts';

const url = 'https://fanfare.example';
const key = 'ff_test_0123456789abcdef';

const read = (given: VerifyArguments, accountId = 'sa_1') =>
  readVerifyOptions(accountId, { url, key, ...given }, readConfig({}));

describe('readVerifyOptions', () => {
  test('publishes nothing by default, and writes no report', async () => {
    const defaults = { url, key, accountId: 'sa_1', publish: undefined, report: undefined };
    expect(await read({})).toEqual(defaults);
  });

  test('publishes what is asked for, and the public post if both are asked for', async () => {
    expect(await read({ publish: true })).toMatchObject({ publish: true });
    expect(await read({ 'publish-public': true })).toMatchObject({ publish: 'public' });
    const both = { publish: true, 'publish-public': true };
    expect(await read(both)).toMatchObject({ publish: 'public' });
  });

  test.each(['', 'ada', 'sa_1/checks', 'sa_1 sa_2'])('refuses the account %j', async (account) => {
    await expect(read({}, account)).rejects.toThrow(InvalidArgument);
  });
});
