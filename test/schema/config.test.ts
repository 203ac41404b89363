// The configuration: defaults, what is refused, and that every fault is told at once.
import { describe, expect, test } from 'vitest';
import type { Role } from '../../schema/config/cross-checks.ts';
import { ConfigError, readConfig, type Config } from '../../schema/config/config.ts';
import { Environment } from '../../schema/config/environment.ts';
import { platformDefinitions } from '../../schema/platforms/index.ts';

function faultsOf(env: Record<string, string>, role?: Role): string[] {
  try {
    readConfig(env, role);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

const database = { DATABASE_URL: 'postgres://localhost/x' };
const served = {
  ...database,
  FANFARE_VAULT_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};

describe('readConfig', () => {
  test('has a default for everything that a first start needs', () => {
    const config = readConfig({});
    expect(config.port).toBe(4000);
    expect(config.host).toBe('127.0.0.1');
    expect(config.dataDirectory).toBe('.data');
    expect(config.databaseUrl).toBeUndefined();
    expect(config.temporal.address).toBeUndefined();
    expect(config.allowPrivateCidrs).toEqual([]);
    expect(config.deliveryDelaysMs).toEqual([30_000, 120_000, 600_000]);
    expect(config.deliveryTimeoutMs).toBe(10_000);
    expect(config.previewEvents).toBe(false);
  });

  test("shows the schema and GraphiQL on a developer's machine only, unless told", () => {
    const shownBy = ({ hasIntrospection, hasGraphiql }: Config) => [hasIntrospection, hasGraphiql];
    expect(shownBy(readConfig({}))).toEqual([true, true]);
    expect(shownBy(readConfig(served))).toEqual([false, false]);
    expect(shownBy(readConfig({ ...served, FANFARE_INTROSPECTION: 'true' }))).toEqual([
      true,
      false,
    ]);
    expect(shownBy(readConfig({ FANFARE_GRAPHIQL: 'false' }))).toEqual([true, false]);
  });

  test('has the sandbox on a machine without DATABASE_URL only, unless told', () => {
    expect(readConfig({}).hasSandbox).toBe(true);
    expect(readConfig({ FANFARE_SANDBOX: 'false' }).hasSandbox).toBe(false);
    expect(readConfig(served).hasSandbox).toBe(false);
    expect(readConfig({ ...served, FANFARE_SANDBOX: 'true' }).hasSandbox).toBe(true);
  });

  test('needs the address of the sandbox in a worker, which has none of its own', () => {
    const on = { ...served, FANFARE_SANDBOX: 'true' };
    expect(faultsOf(on, 'worker')).toEqual([expect.stringMatching(/^FANFARE_SANDBOX_API_URL: /)]);
    expect(faultsOf({ ...on, FANFARE_SANDBOX_API_URL: 'http://api/sandbox' }, 'worker')).toEqual(
      [],
    );
    expect(faultsOf(on, 'api')).toEqual([]);
    expect(faultsOf(served, 'worker')).toEqual([]);
  });

  test('needs the keys of the vault with DATABASE_URL, but not for a command that opens nothing', () => {
    for (const role of ['start', 'api', 'worker'] as const) {
      expect(faultsOf(database, role), role).toEqual([
        expect.stringMatching(/^FANFARE_VAULT_KEYS: /),
      ]);
    }
    expect(faultsOf(database, 'operator')).toEqual([]);
    expect(faultsOf({ ...database, FANFARE_VAULT_KEYS: 'k1:short' }, 'operator')).toHaveLength(1);
  });

  test('refuses to answer stored documents only, where none are', () => {
    expect(faultsOf({ FANFARE_PERSISTED_ONLY: 'true' })).toHaveLength(1);
    expect(faultsOf({ FANFARE_PERSISTED_ONLY: 'true', FANFARE_PERSISTED_DOCUMENTS: 'a' })).toEqual(
      [],
    );
  });

  test('refuses to tell of changes longer than there is anything to show of them', () => {
    const feed = { FANFARE_FEED_RETENTION_HOURS: '49' };
    expect(faultsOf({ ...feed, FANFARE_RETENTION_DAYS: '2' })).toEqual([
      expect.stringContaining('FANFARE_FEED_RETENTION_HOURS'),
    ]);
    expect(faultsOf({ ...feed, FANFARE_RETENTION_DAYS: '3' })).toEqual([]);
  });

  test('reads DNS servers, with and without a port', () => {
    const { dnsServers } = readConfig({ FANFARE_DNS_SERVERS: '10.0.0.53, [fd00::53]:5353' });
    expect(dnsServers).toEqual(['10.0.0.53', '[fd00::53]:5353']);
    expect(readConfig({}).dnsServers).toEqual([]);
    expect(faultsOf({ FANFARE_DNS_SERVERS: '10.0.0.53,dns.example' })).toEqual([
      expect.stringContaining('FANFARE_DNS_SERVERS: must be addresses'),
    ]);
  });

  test('tells in words what should be a number', () => {
    const [fault] = faultsOf({ FANFARE_BOOKMARK_MS: 'abc' });
    expect(fault).toBe('FANFARE_BOOKMARK_MS: must be a whole number');
    expect(faultsOf({ FANFARE_BOOKMARK_MS: '0' })[0]).toMatch(/1000/);
    expect(faultsOf({ FANFARE_SANDBOX: 'yes' })).toEqual([
      'FANFARE_SANDBOX: must be true or false',
    ]);
  });

  test('refuses bookmarks that come too late to resume from', () => {
    const feed = { FANFARE_FEED_RETENTION_HOURS: '1' };
    expect(faultsOf({ ...feed, FANFARE_BOOKMARK_MS: '1800001' })).toEqual([
      expect.stringContaining('FANFARE_BOOKMARK_MS'),
    ]);
    expect(faultsOf({ ...feed, FANFARE_BOOKMARK_MS: '1800000' })).toEqual([]);
  });

  test('takes an empty variable for one that is not set', () => {
    expect(readConfig({ FANFARE_PORT: '', DATABASE_URL: '' }).port).toBe(4000);
  });

  test('leaves the variables of other programs alone', () => {
    expect(faultsOf({ PATH: '/bin', HOME: '/root' })).toEqual([]);
  });

  test('lists every fault at once', () => {
    const faults = faultsOf({
      FANFARE_PORT: '99999',
      FANFARE_API_KEY: 'short',
      DATABASE_URL: 'mysql://localhost/x',
      FANFARE_PUBLIC_URL: 'fanfare.example',
      FANFARE_LOG_LEVEL: 'loud',
      FANFARE_DELIVERY_DELAYS_MS: '1,soon',
      FANFARE_VAULT_KEYS: 'k1:short',
      FANFARE_PROT: '4000',
    });
    for (const name of [
      'FANFARE_PORT',
      'FANFARE_API_KEY',
      'DATABASE_URL',
      'FANFARE_PUBLIC_URL',
      'FANFARE_LOG_LEVEL',
      'FANFARE_DELIVERY_DELAYS_MS',
      'FANFARE_VAULT_KEYS',
      'FANFARE_PROT',
    ]) {
      expect(faults.filter((fault) => fault.startsWith(`${name}:`)).length, name).toBe(1);
    }
    expect(faults.length).toBe(8);
  });

  test('does not repeat a secret in its faults', () => {
    const faults = faultsOf({ FANFARE_API_KEY: 'tell-nobody', FANFARE_VAULT_KEYS: 'k1:hush-hush' });
    expect(faults.join()).not.toMatch(/tell-nobody|hush-hush/);
  });

  test('names the faulty entry of the vault keys', () => {
    const good = `a:${Buffer.alloc(32).toString('base64')}`;
    expect(faultsOf({ FANFARE_VAULT_KEYS: `${good},b:short` })).toEqual([
      expect.stringContaining('entry 2'),
    ]);
  });

  test('reads lists and waits', () => {
    const config = readConfig({
      FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8, ::1/128',
      FANFARE_DELIVERY_DELAYS_MS: '10,20,30',
      FANFARE_PUBLIC_URL: 'https://fanfare.example/',
    });
    expect(config.allowPrivateCidrs).toEqual(['127.0.0.0/8', '::1/128']);
    expect(config.deliveryDelaysMs).toEqual([10, 20, 30]);
    expect(config.publicUrl).toBe('https://fanfare.example');
  });

  test('is frozen to its leaves', () => {
    const config = readConfig({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.temporal)).toBe(true);
    expect(Object.isFrozen(config.deliveryDelaysMs)).toBe(true);
    expect(readConfig({})).toEqual(config);
  });
});

describe("a network's settings", () => {
  test('have defaults, and are read from variables that begin with its name', () => {
    expect(readConfig({}).platforms.bluesky).toEqual({
      apiUrl: 'https://bsky.social',
      plcUrl: 'https://plc.directory',
      postsPerMinute: 0,
    });
    const set = {
      FANFARE_BLUESKY_PLC_URL: 'https://a.test//',
      FANFARE_BLUESKY_POSTS_PER_MINUTE: '9',
    };
    expect(readConfig(set).platforms.bluesky).toMatchObject({
      plcUrl: 'https://a.test',
      postsPerMinute: 9,
    });
    expect(readConfig(set).platforms.sandbox.postsPerMinute).toBe(0);
  });

  test.each(platformDefinitions)('of $title are checked like all others', ({ name }) => {
    const variable = `FANFARE_${name.toUpperCase()}_POSTS_PER_MINUTE`;
    expect(faultsOf({ [variable]: 'many' })).toEqual([`${variable}: must be a whole number`]);
  });
});

describe('Environment', () => {
  test('says of every variable what it is for', () => {
    const silent = Object.entries(Environment.shape)
      .filter(([, variable]) => !variable.meta()?.description)
      .map(([name]) => name);
    expect(silent).toEqual([]);
  });
});
