// The URL guard: every form of a forbidden address, and every way a name can lead to one.
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createUrlGuard } from '../../../activities/egress/url-guard.ts';
import { unresolved } from '../../../activities/egress/lookup-limits.ts';
import type { UrlGuardOptions } from '../../../activities/egress/url-guard.ts';

const loopback = ['127.0.0.0/8', '::1/128'];
const publicAddress = '93.184.215.14';

/** A resolver that returns a list of answers in order, then the last one forever. */
function answering(...answers: string[][]): NonNullable<UrlGuardOptions['lookup']> {
  let asked = 0;
  return async () => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    return answer.map((address) => ({ address, family: isIP(address) }));
  };
}

function knowingNothing(): Promise<never> {
  return Promise.reject(unresolved('hook.test'));
}

async function refusalOf(url: string, options: Partial<UrlGuardOptions> = {}) {
  const guard = createUrlGuard({
    allowPrivateCidrs: [],
    lookup: answering([publicAddress]),
    ...options,
  });
  const checked = await guard.check(url, 'prj_1');
  return checked.ok ? null : checked.code;
}

function lookUp(
  guard: ReturnType<typeof createUrlGuard>,
  options: { all?: boolean; family?: number } = { all: true },
  protocol = 'https:',
) {
  return new Promise<string | LookupAddress[]>((resolve, reject) => {
    guard.lookupFor(protocol, 'prj_1')('hook.test', options, (error, address) => {
      if (error) reject(error);
      else resolve(address);
    });
  });
}

describe('check', () => {
  test.each([
    'https://example.com/hook',
    'HTTPS://EXAMPLE.COM:8443/a?b=c#d',
    'https://bücher.example/',
    'https://93.184.215.14/',
    'https://[2606:4700::1111]/',
    'https://[2606:4700:5efe::5efe]/',
    `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length)}`,
  ])('accepts %s', async (url) => {
    expect(await refusalOf(url)).toBeNull();
  });

  test.each([
    ['not_absolute', ''],
    ['not_absolute', 'example.com/hook'],
    ['not_absolute', '/hook'],
    ['not_absolute', '//example.com/hook'],
    ['not_absolute', 'https:example.com'],
    ['not_absolute', 'https:/example.com'],
    ['not_absolute', 'https:///example.com'],
    ['not_absolute', 'https:\\\\example.com'],
    ['not_absolute', 'https://example.com\\@127.0.0.1/'],
    ['not_absolute', ' https://example.com/'],
    ['not_absolute', 'https://exa\tmple.com/'],
    ['not_absolute', 'https://exa\nmple.com/'],
    ['not_absolute', 'https://'],
    ['not_absolute', 'https://?x'],
    ['not_absolute', 'https://example.com:99999/'],
    ['not_absolute', 'https://example.com:0/'],
    ['not_absolute', 'https://a..b/'],
    ['not_absolute', 'https://.example.com/'],
    ['not_absolute', 'https://256.1.1.1/'],
    ['not_absolute', 'https://[fe80::1%25eth0]/'],
    ['not_absolute', 'mailto:ada@example.com'],
    ['not_https', 'http://example.com/'],
    ['not_https', 'http://93.184.215.14/'],
    ['not_https', 'ftp://example.com/'],
    ['not_https', 'file://example.com/etc/passwd'],
    ['not_https', 'gopher://example.com/'],
    ['has_credentials', 'https://ada@example.com/'],
    ['has_credentials', 'https://ada:secret@example.com/'],
    ['has_credentials', 'https://:secret@example.com/'],
    ['too_long', `https://example.com/${'a'.repeat(2049 - 'https://example.com/'.length)}`],
  ])('refuses as %s: %j', async (code, url) => {
    expect(await refusalOf(url)).toBe(code);
  });

  test.each([
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.0.0.1.',
    '0x7f.1',
    '0x7f000001',
    '0x7F.0x0.0x0.0x1',
    '017700000001',
    '0177.0.0.0x1',
    '2130706433',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '168.63.129.16',
    '0xa9fea9fe',
    '2852039166',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:93.184.215.14]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001::1]',
    '[2606:4700::5efe:10.0.0.1]',
    '[2606:4700::200:5efe:a9fe:a9fe]',
    '[2a00:1:2:3:0:5efe:7f00:1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[5f00::1]',
    '[100::1]',
    '[4000::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
  ])('refuses the address %s', async (host) => {
    expect(await refusalOf(`https://${host}/hook`)).toBe('blocked_address');
  });

  test.each([
    ['a private address', ['10.1.2.3']],
    ['the metadata address', ['169.254.169.254']],
    ['a mapped address', ['::ffff:10.1.2.3']],
    ['a link-local address with a zone', ['fe80::1%eth0']],
    ['a public and a private address', [publicAddress, '10.1.2.3']],
    ['a private and a public address', ['fd00::1', publicAddress]],
    ['what is no address at all', ['banana']],
  ])('treats a name that leads to %s like a name that does not exist', async (_what, addresses) => {
    const inside = createUrlGuard({ allowPrivateCidrs: loopback, lookup: answering(addresses) });
    const missing = createUrlGuard({ allowPrivateCidrs: loopback, lookup: knowingNothing });
    for (const url of ['https://hook.test/', 'http://hook.test/']) {
      expect(await inside.check(url, 'prj_1')).toEqual(await missing.check(url, 'prj_1'));
    }
    await expect(lookUp(inside)).rejects.toEqual(await lookUp(missing).catch((error) => error));
  });

  test("refuses the system's names for loopback", async () => {
    const guard = createUrlGuard({ allowPrivateCidrs: [] });
    expect(await guard.check('https://localhost/', 'prj_1')).toMatchObject({
      code: 'blocked_address',
    });
    expect(await guard.check('https://localhost./', 'prj_1')).toMatchObject({
      code: 'blocked_address',
    });
    expect(await guard.check('https://a.localhost/', 'prj_1')).toMatchObject({
      code: 'blocked_address',
    });
  });

  test('accepts a name with https without a lookup', async () => {
    const lookup = () => Promise.reject(new Error('Not to be asked.'));
    expect(await refusalOf('https://new.test/', { lookup })).toBeNull();
    expect(await refusalOf('http://new.test/', { lookup })).toBe('not_https');
    expect(await refusalOf('http://new.test/', { lookup, allowPrivateCidrs: loopback })).toBe(
      'not_https',
    );
  });

  test('accepts addresses in the listed ranges, even with http', async () => {
    const options = { allowPrivateCidrs: loopback };
    expect(await refusalOf('https://127.0.0.1/', options)).toBeNull();
    expect(await refusalOf('http://127.9.9.9:4000/', options)).toBeNull();
    expect(await refusalOf('http://0x7f.1/', options)).toBeNull();
    expect(await refusalOf('http://[::1]:4000/', options)).toBeNull();
    expect(await refusalOf('https://10.0.0.1/', options)).toBe('blocked_address');
    expect(await refusalOf('https://[::ffff:127.0.0.1]/', options)).toBe('blocked_address');
    const named = { ...options, lookup: answering(['127.0.0.1', '::1']) };
    expect(await refusalOf('http://hook.test/', named)).toBeNull();
  });

  test('accepts http only for a host whose addresses are all in the listed ranges', async () => {
    const options = { allowPrivateCidrs: loopback };
    const mixed = { ...options, lookup: answering(['127.0.0.1', publicAddress]) };
    expect(await refusalOf('http://hook.test/', mixed)).toBe('not_https');
    expect(await refusalOf('https://hook.test/', mixed)).toBeNull();
    const unknown = { ...options, lookup: answering([]) };
    expect(await refusalOf('http://hook.test/', unknown)).toBe('not_https');
    expect(await refusalOf('http://93.184.215.14/', options)).toBe('not_https');
  });
});

describe('lookupFor', () => {
  test('returns every checked address, or the first of the requested family', async () => {
    const lookup = answering([publicAddress, '2606:4700::1111']);
    const guard = createUrlGuard({ allowPrivateCidrs: [], lookup });
    expect(await lookUp(guard)).toEqual([
      { address: publicAddress, family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await lookUp(guard, {})).toBe(publicAddress);
    expect(await lookUp(guard, { family: 6 })).toBe('2606:4700::1111');
  });

  test('refuses a name when one of its addresses is blocked', async () => {
    const lookup = answering([publicAddress, '127.0.0.1']);
    const guard = createUrlGuard({ allowPrivateCidrs: [], lookup });
    await expect(lookUp(guard)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('checks every connection, so a name that moves to a private address is refused', async () => {
    const lookup = answering([publicAddress], ['127.0.0.1']);
    const guard = createUrlGuard({ allowPrivateCidrs: [], lookup });
    expect(await guard.check('https://hook.test/', 'prj_1')).toMatchObject({ ok: true });
    expect(await lookUp(guard)).toEqual([{ address: publicAddress, family: 4 }]);
    await expect(lookUp(guard)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('sends one lookup for connections that open together', async () => {
    let asked = 0;
    const guard = createUrlGuard({
      allowPrivateCidrs: [],
      lookup: async () => {
        asked += 1;
        return [{ address: publicAddress, family: 4 }];
      },
    });
    await Promise.all([lookUp(guard), lookUp(guard), lookUp(guard)]);
    expect(asked).toBe(1);
    await lookUp(guard);
    expect(asked).toBe(2);
  });

  test('allows http only in the listed ranges', async () => {
    const lookup = answering(['127.0.0.1'], [publicAddress]);
    const guard = createUrlGuard({ allowPrivateCidrs: loopback, lookup });
    expect(await lookUp(guard, { all: true }, 'http:')).toHaveLength(1);
    await expect(lookUp(guard, { all: true }, 'http:')).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });

  test('reports that a name does not exist', async () => {
    const guard = createUrlGuard({ allowPrivateCidrs: [], lookup: knowingNothing });
    await expect(lookUp(guard)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const empty = createUrlGuard({ allowPrivateCidrs: [], lookup: answering([]) });
    await expect(lookUp(empty)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
