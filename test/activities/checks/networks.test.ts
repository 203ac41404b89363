// Checks at every network with a simulator: they pass and publish nothing, unless they are asked to.
import { describe, expect, test } from 'vitest';
import { startMediaHost } from '../../support/account-checks/media-host.ts';
import {
  addCheck,
  checkDependencies,
  statusesOf,
  takeToEnd,
} from '../../support/account-checks/run-check.ts';
import { forFile } from '../../support/fixtures.ts';
import { toKind } from '../../support/networks/contract/kind.ts';
import { sandbox } from '../../support/networks/contract/sandbox.ts';
import type { NetworkSubject } from '../../support/networks/contract/subject.ts';
import { discordBot, discordWebhook } from '../../support/networks/discord/subject.ts';
import { facebook } from '../../support/networks/facebook/subject.ts';
import { instagram, instagramOfPage } from '../../support/networks/instagram/subject.ts';
import { linkedinMember, linkedinPage } from '../../support/networks/linkedin/subject.ts';
import { goToSocial, mastodon } from '../../support/networks/mastodon/subject.ts';
import { nostr } from '../../support/networks/nostr/subject.ts';
import { pinterest } from '../../support/networks/pinterest/subject.ts';
import { slackSubject } from '../../support/networks/slack/subject.ts';
import { telegram } from '../../support/networks/telegram/subject.ts';
import { threads } from '../../support/networks/threads/subject.ts';
import { tiktok } from '../../support/networks/tiktok/subject.ts';
import { twitterReading } from '../../support/networks/twitter/subject.ts';
import { wordpressSubject } from '../../support/networks/wordpress/subject.ts';
import { youtube } from '../../support/networks/youtube/subject.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();
const media = forFile(() => startMediaHost(database.db));

const removing = [
  sandbox,
  mastodon,
  goToSocial,
  pinterest,
  wordpressSubject,
  discordBot,
  discordWebhook,
  facebook,
  linkedinMember,
  linkedinPage,
  slackSubject,
  telegram,
  twitterReading,
];
/** The login of Threads lacks the scope that deletes posts. */
const staying = [instagram, instagramOfPage, nostr, threads];
const named = (subjects: readonly NetworkSubject[]) =>
  subjects.map((subject) => [subject.title ?? subject.name, subject] as const);

/** Returns the posts of the network before and after the check, too. */
async function check(subject: NetworkSubject, publishes: boolean) {
  const { db } = database;
  await using network = await toKind(subject).start(db);
  const { checkId } = await addCheck(db, network, { publishes });
  const row = await takeToEnd(checkDependencies(db, network, media.publicUrls), checkId);
  return { row, statuses: statusesOf(row), posts: await network.listPosts() };
}

describe('a check that only reads', () => {
  test.each(named([...removing, ...staying, tiktok, youtube]))(
    'of %s publishes nothing',
    async (_, subject) => {
      const { row, statuses, posts } = await check(subject, false);
      expect(row.status, JSON.stringify(row.steps)).toBe('passed');
      expect(statuses['login']).toBe('passed');
      expect(Object.keys(statuses).slice(0, 2)).toEqual(['login', 'scopes']);
      expect(posts).toEqual([]);
    },
  );
});

describe('a check that publishes', () => {
  test.each(named(removing))('removes its post from %s', async (_, subject) => {
    const { row, statuses, posts } = await check(subject, true);
    expect(row.status, JSON.stringify(row.steps)).toBe('passed');
    expect(statuses).toMatchObject({ publication: 'passed', removal: 'passed' });
    expect(['passed', 'skipped']).toContain(statuses['read_back']);
    expect(posts).toEqual([]);
  });

  test.each(named(staying))('leaves one post at %s', async (_, subject) => {
    const { row, statuses, posts } = await check(subject, true);
    expect(row.status, JSON.stringify(row.steps)).toBe('passed');
    expect(statuses['publication']).toBe('passed');
    expect(['passed', 'skipped']).toContain(statuses['read_back']);
    expect(statuses).not.toHaveProperty('removal');
    expect(posts).toHaveLength(1);
  });
});
