// The command line of `npm run test:networks`: whose server is meant, and with which credentials.
import { describe, expect, test } from 'vitest';
import { platformNames } from '../../../schema/platforms/index.ts';
import { describeUsage, readNamedServer } from '../../support/networks/contract/named-server.ts';
import { factsOf } from '../../support/networks/contract/subjects.ts';

describe('a named server', () => {
  test('accepts the credentials by the names of their fields', () => {
    const args = ['--handle', 'ada.test', '--app_password', 'x', '--service', 'http://localhost:1'];
    expect(readNamedServer(['bluesky', ...args])).toEqual({
      name: 'bluesky',
      credentials: { handle: 'ada.test', app_password: 'x', service: 'http://localhost:1' },
      isByConsent: false,
    });
  });

  test('accepts --url and --token for the fields that they stand for', () => {
    const args = ['--handle', 'ada.test', '--token', 'x', '--url', 'http://localhost:1'];
    expect(readNamedServer(['bluesky', ...args]).credentials).toEqual({
      handle: 'ada.test',
      app_password: 'x',
      service: 'http://localhost:1',
    });
  });

  test('accepts --consent instead of credentials', () => {
    expect(readNamedServer(['mastodon', '--consent'])).toEqual({
      name: 'mastodon',
      credentials: {},
      isByConsent: true,
    });
  });

  test.each([
    [['mastodon', '--consent', '--token', 'x'], /takes no credentials/],
    [['telegram', '--consent'], 'telegram has no consent page.'],
    [['nowhere'], 'There is no network nowhere.'],
    [['sandbox'], 'There is no network sandbox.'],
    [['bluesky', '--handle', 'ada.test'], 'bluesky needs --app_password.'],
    [['bluesky', '--nonsense', 'x'], /nonsense/],
  ])('refuses %j', (args, message) => {
    expect(() => readNamedServer(args)).toThrow(message);
  });

  test('has a help that names every field of every network', () => {
    const usage = describeUsage();
    for (const name of platformNames.filter((each) => each !== 'sandbox')) {
      expect(usage).toContain(`  ${name}  `);
      expect(factsOf(name, {}).name).toBe(name);
    }
    expect(usage).toContain('--app_password  App password');
  });
});
