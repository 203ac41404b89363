// The configuration: defaults, refusals, and all issues in one error.
import { describe, expect, test } from 'vitest';
import { findCrossIssues, type Role } from '../../schema/config/cross-checks.ts';
import { ConfigError, readConfig, type Config } from '../../schema/config/config.ts';
import { Environment } from '../../schema/config/environment.ts';
import { parseMediaUrl } from '../../schema/config/media-url.ts';
import { platformDefinitions } from '../../schema/platforms/index.ts';

function issuesOf(env: Record<string, string>, role?: Role): string[] {
  try {
    readConfig(env, role);
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
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

  test('turns on introspection and GraphiQL by default only if DATABASE_URL is not set', () => {
    const shownBy = ({ hasIntrospection, hasGraphiql }: Config) => [hasIntrospection, hasGraphiql];
    expect(shownBy(readConfig({}))).toEqual([true, true]);
    expect(shownBy(readConfig(served))).toEqual([false, false]);
    expect(shownBy(readConfig({ ...served, FANFARE_INTROSPECTION: 'true' }))).toEqual([
      true,
      false,
    ]);
    expect(shownBy(readConfig({ FANFARE_GRAPHIQL: 'false' }))).toEqual([true, false]);
  });

  test('turns on the sandbox by default only if DATABASE_URL is not set', () => {
    expect(readConfig({}).hasSandbox).toBe(true);
    expect(readConfig({ FANFARE_SANDBOX: 'false' }).hasSandbox).toBe(false);
    expect(readConfig(served).hasSandbox).toBe(false);
    expect(readConfig({ ...served, FANFARE_SANDBOX: 'true' }).hasSandbox).toBe(true);
  });

  test('requires the client ID of an app if the secret of the app is set', () => {
    const issuesWith = (env: Record<string, string>) => findCrossIssues(env, undefined, 'start');
    const secret = { FANFARE_EXAMPLE_CLIENT_SECRET: 'word' };
    const issue = 'FANFARE_EXAMPLE_CLIENT_ID: is required with FANFARE_EXAMPLE_CLIENT_SECRET';
    expect(issuesWith(secret)).toEqual([issue]);
    expect(issuesWith({ ...secret, FANFARE_EXAMPLE_CLIENT_ID: '' })).toEqual([issue]);
    expect(issuesWith({ ...secret, FANFARE_EXAMPLE_CLIENT_ID: 'client' })).toEqual([]);
    expect(issuesWith({ FANFARE_EXAMPLE_CLIENT_ID: 'client' })).toEqual([]);
    expect(issuesWith({ FANFARE_TWITTER_CLIENT_ID: 'client' })).toEqual([]);
    expect(issuesWith({ FANFARE_LINKEDIN_CLIENT_ID: 'client' })).toEqual([
      'FANFARE_LINKEDIN_CLIENT_SECRET: is required with FANFARE_LINKEDIN_CLIENT_ID',
    ]);
  });

  test('requires the URL of the sandbox for a worker', () => {
    const on = { ...served, FANFARE_SANDBOX: 'true' };
    expect(issuesOf(on, 'worker')).toEqual([expect.stringMatching(/^FANFARE_SANDBOX_API_URL: /)]);
    expect(issuesOf({ ...on, FANFARE_SANDBOX_API_URL: 'http://api/sandbox' }, 'worker')).toEqual(
      [],
    );
    expect(issuesOf(on, 'api')).toEqual([]);
    expect(issuesOf(served, 'worker')).toEqual([]);
  });

  test('requires vault keys with DATABASE_URL, except for commands that open no secrets', () => {
    for (const role of ['start', 'api', 'worker'] as const) {
      expect(issuesOf(database, role), role).toEqual([
        expect.stringMatching(/^FANFARE_VAULT_KEYS: /),
      ]);
    }
    expect(issuesOf(database, 'operator')).toEqual([]);
    expect(issuesOf({ ...database, FANFARE_VAULT_KEYS: 'k1:short' }, 'operator')).toHaveLength(1);
  });

  test('accepts FANFARE_PERSISTED_ONLY only with stored documents', () => {
    expect(issuesOf({ FANFARE_PERSISTED_ONLY: 'true' })).toHaveLength(1);
    expect(issuesOf({ FANFARE_PERSISTED_ONLY: 'true', FANFARE_PERSISTED_DOCUMENTS: 'a' })).toEqual(
      [],
    );
  });

  test('refuses to keep changes longer than their records', () => {
    const feed = { FANFARE_FEED_RETENTION_HOURS: '49' };
    expect(issuesOf({ ...feed, FANFARE_RETENTION_DAYS: '2' })).toEqual([
      expect.stringContaining('FANFARE_FEED_RETENTION_HOURS'),
    ]);
    expect(issuesOf({ ...feed, FANFARE_RETENTION_DAYS: '3' })).toEqual([]);
  });

  test('reads DNS servers, with and without a port', () => {
    const { dnsServers } = readConfig({ FANFARE_DNS_SERVERS: '10.0.0.53, [fd00::53]:5353' });
    expect(dnsServers).toEqual(['10.0.0.53', '[fd00::53]:5353']);
    expect(readConfig({}).dnsServers).toEqual([]);
    expect(issuesOf({ FANFARE_DNS_SERVERS: '10.0.0.53,dns.example' })).toEqual([
      expect.stringContaining('FANFARE_DNS_SERVERS: must be addresses'),
    ]);
  });

  test('reports an invalid value in plain words', () => {
    const [issue] = issuesOf({ FANFARE_BOOKMARK_MS: 'abc' });
    expect(issue).toBe('FANFARE_BOOKMARK_MS: must be a whole number');
    expect(issuesOf({ FANFARE_BOOKMARK_MS: '0' })[0]).toBe(
      'FANFARE_BOOKMARK_MS: must be at least 1000',
    );
    expect(issuesOf({ FANFARE_SANDBOX: 'yes' })).toEqual([
      'FANFARE_SANDBOX: must be true or false',
    ]);
  });

  test('refuses an interval of bookmarks that is too long to resume from', () => {
    const feed = { FANFARE_FEED_RETENTION_HOURS: '1' };
    expect(issuesOf({ ...feed, FANFARE_BOOKMARK_MS: '1800001' })).toEqual([
      expect.stringContaining('FANFARE_BOOKMARK_MS'),
    ]);
    expect(issuesOf({ ...feed, FANFARE_BOOKMARK_MS: '1800000' })).toEqual([]);
  });

  test('needs a public URL if other machines can reach the process', () => {
    const open = { FANFARE_HOST: '0.0.0.0' };
    expect(issuesOf(open)).toEqual([expect.stringMatching(/^FANFARE_PUBLIC_URL: is required/)]);
    expect(issuesOf({ ...open, FANFARE_PUBLIC_URL: 'https://fanfare.test' })).toEqual([]);
    expect(issuesOf({ FANFARE_HOST: '::1' })).toEqual([]);
  });

  test('treats an empty variable as unset', () => {
    expect(readConfig({ FANFARE_PORT: '', DATABASE_URL: '' }).port).toBe(4000);
  });

  test('ignores variables of other programs', () => {
    expect(issuesOf({ PATH: '/bin', HOME: '/root' })).toEqual([]);
  });

  test('lists every issue at once', () => {
    const wrong = {
      FANFARE_PORT: '99999',
      FANFARE_API_KEY: 'short',
      DATABASE_URL: 'mysql://localhost/x',
      FANFARE_PUBLIC_URL: 'fanfare.example',
      FANFARE_LOG_LEVEL: 'loud',
      FANFARE_DELIVERY_DELAYS_MS: '1,soon',
      FANFARE_VAULT_KEYS: 'k1:short',
      FANFARE_PROT: '4000',
    };
    const named = issuesOf(wrong).map((issue) => issue.slice(0, issue.indexOf(':')));
    expect(named.toSorted()).toEqual(Object.keys(wrong).toSorted());
  });

  test('does not repeat a secret in an issue', () => {
    const issues = issuesOf({ FANFARE_API_KEY: 'tell-nobody', FANFARE_VAULT_KEYS: 'k1:hush-hush' });
    expect(issues.join()).not.toMatch(/tell-nobody|hush-hush/);
  });

  test('names the invalid entry of the vault keys', () => {
    const good = `a:${Buffer.alloc(32).toString('base64')}`;
    expect(issuesOf({ FANFARE_VAULT_KEYS: `${good},b:short` })).toEqual([
      expect.stringContaining('entry 2'),
    ]);
  });

  test('reads lists and delays', () => {
    const config = readConfig({
      FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8, ::1/128',
      FANFARE_DELIVERY_DELAYS_MS: '10,20,30',
      FANFARE_PUBLIC_URL: 'https://fanfare.example/',
    });
    expect(config.allowPrivateCidrs).toEqual(['127.0.0.0/8', '::1/128']);
    expect(config.deliveryDelaysMs).toEqual([10, 20, 30]);
    expect(config.publicUrl).toBe('https://fanfare.example');
  });

  test('is deeply frozen', () => {
    const config = readConfig({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.temporal)).toBe(true);
    expect(Object.isFrozen(config.deliveryDelaysMs)).toBe(true);
    expect(readConfig({})).toEqual(config);
  });
});

describe("a network's settings", () => {
  test('have defaults and variables that begin with its name', () => {
    expect(readConfig({}).platforms.bluesky).toEqual({
      apiUrl: 'https://bsky.social',
      plcUrl: 'https://plc.directory',
      videoUrl: 'https://video.bsky.app',
      hostedDomain: 'host.bsky.network',
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

  test.each(platformDefinitions)('are checked: $title', ({ name }) => {
    const variable = `FANFARE_${name.toUpperCase()}_POSTS_PER_MINUTE`;
    expect(issuesOf({ [variable]: 'many' })).toEqual([`${variable}: must be a whole number`]);
  });
});

describe('Environment', () => {
  test('describes every variable', () => {
    const silent = Object.entries(Environment.shape)
      .filter(([, variable]) => !variable.meta()?.description)
      .map(([name]) => name);
    expect(silent, 'schema/config/environment.ts: add a description').toEqual([]);
  });
});

test('FANFARE_MEDIA_PUBLIC_URL loses a slash at its end, and its description names its networks', () => {
  const urlOf = (url: string) => readConfig({ FANFARE_MEDIA_PUBLIC_URL: url }).mediaPublicUrl;
  expect(urlOf('https://media.example.com/')).toBe('https://media.example.com');
  expect(readConfig({}).mediaPublicUrl).toBeUndefined();
  expect(issuesOf({ FANFARE_MEDIA_PUBLIC_URL: 'media.example.com' })).toEqual([
    'FANFARE_MEDIA_PUBLIC_URL: must be an http:// or https:// URL',
  ]);
  const { description } = Environment.shape.FANFARE_MEDIA_PUBLIC_URL.meta()!;
  expect(description).toContain('these networks are off: Threads, Instagram.');
});

describe('FANFARE_MEDIA_URL', () => {
  test.each([
    'file:///var/lib/fanfare/media',
    'file:///var/lib/with%20space/',
    's3://media?region=eu-west-1',
    's3://media/some/prefix?region=x&endpoint=http://127.0.0.1:9000&path_style=true',
    's3://media?region=x&endpoint=https://s3.example',
  ])('takes %s', (url) => {
    expect(issuesOf({ FANFARE_MEDIA_URL: url })).toEqual([]);
    expect(readConfig({ FANFARE_MEDIA_URL: url }).media.url).toBe(url);
  });

  const forms = 'must be file:///<folder> or s3://<bucket>[/<prefix>]?region=<region>';
  const parameters = 'it takes endpoint, region, path_style';
  const endpoint = 'must have an http:// or https:// URL without a path as its endpoint';
  test.each([
    ['/var/lib/media', forms],
    ['https://bucket.s3.amazonaws.com', forms],
    ['file://media', 'must have three slashes, as in file:///var/lib/fanfare/media'],
    ['file:///', 'must name a folder, as in file:///var/lib/fanfare/media'],
    ['file:///media?x=1', 'must have no parameters after the folder'],
    ['file:///a%2Fb', 'must be the URL of an absolute path, as in file:///var/lib/fanfare/media'],
    ['s3://?region=x', 'must name a bucket, as in s3://media?region=us-east-1'],
    ['s3://Media_1?region=x', 'must name a bucket, as in s3://media?region=us-east-1'],
    ['s3://media', 'must have a region, as in s3://media?region=us-east-1'],
    ['s3://media?region=', 'must have a region, as in s3://media?region=us-east-1'],
    ['s3://media?region=x&acl=public', `has the unknown parameter "acl"; ${parameters}`],
    ['s3://media?region=x&endpoint=127.0.0.1:9000', endpoint],
    ['s3://media?region=x&endpoint=http://a/b', endpoint],
    ['s3://media?region=x&path_style=yes', 'path_style must be true or false'],
    [
      's3://id:secret@media?region=x',
      'must have no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    ],
  ])('refuses %s', (url, message) => {
    expect(issuesOf({ FANFARE_MEDIA_URL: url })).toEqual([`FANFARE_MEDIA_URL: ${message}`]);
  });

  test('reads a bucket', () => {
    const url = 's3://media/a/b/?region=x&endpoint=http://127.0.0.1:9000&path_style=true';
    expect(parseMediaUrl(url)).toEqual({
      kind: 's3',
      bucket: 'media',
      prefix: 'a/b',
      region: 'x',
      endpoint: 'http://127.0.0.1:9000',
      hasPathStyle: true,
    });
    expect(parseMediaUrl('s3://media?region=x')).toEqual({
      kind: 's3',
      bucket: 'media',
      prefix: '',
      region: 'x',
      endpoint: undefined,
      hasPathStyle: false,
    });
  });

  test('has ceilings of 512 MiB per file and 10 GiB per project', () => {
    const { media } = readConfig({});
    expect(media).toEqual({ url: undefined, maxBytes: 536_870_912, projectMaxBytes: 2 ** 30 * 10 });
    expect(issuesOf({ FANFARE_MEDIA_MAX_BYTES: String(2 ** 31) })).toEqual([
      'FANFARE_MEDIA_MAX_BYTES: must be at most 2147483647',
    ]);
    expect(issuesOf({ FANFARE_MEDIA_PROJECT_MAX_BYTES: '0' })).toEqual([
      'FANFARE_MEDIA_PROJECT_MAX_BYTES: must be at least 1',
    ]);
  });
});
