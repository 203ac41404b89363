// A check of an account at Bluesky's own server: it passes, and removes the post that it publishes.
import { afterAll, describe, expect, test } from 'vitest';
import { publicUrlsAt } from '../../support/account-checks/media-host.ts';
import {
  addCheck,
  checkDependencies,
  statusesOf,
  takeToEnd,
} from '../../support/account-checks/run-check.ts';
import {
  createBlueskyConsentSubject,
  createBlueskySubject,
} from '../../support/networks/contract/bluesky.ts';
import { toKind } from '../../support/networks/contract/kind.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { startBlueskyPds, type BlueskyPds } from '../../support/servers/bluesky-pds.ts';

const database = useDatabase();
const started = await startBlueskyPds();
const isMissing = 'skipped' in started;
afterAll(() => (isMissing ? undefined : started.stop()));

const subjects = [
  ['a password', createBlueskySubject],
  ['a consent', createBlueskyConsentSubject],
] as const;

describe.skipIf(isMissing).each(subjects)('with %s', (_, createSubject) => {
  const start = () => toKind(createSubject(started as BlueskyPds)).start(database.db);

  test.each([false, true])('a check passes and leaves no post, publish: %s', async (publishes) => {
    await using network = await start();
    const { checkId } = await addCheck(database.db, network, { publishes });
    const urls = publicUrlsAt('https://media.test');
    const check = await takeToEnd(checkDependencies(database.db, network, urls), checkId);
    expect(check.status, JSON.stringify(check.steps)).toBe('passed');
    expect(Object.keys(statusesOf(check))).toHaveLength(publishes ? 5 : 2);
    expect(await network.listPosts()).toEqual([]);
  });
});
