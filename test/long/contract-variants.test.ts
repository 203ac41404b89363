// Other accounts and servers of a network pass the contract's cases without faults too: their posts take the same way.
import { describe } from 'vitest';
import { describeLiveCases } from '../support/networks/contract/live-cases.ts';
import type { NetworkSubject } from '../support/networks/contract/subject.ts';
import { discordWebhook } from '../support/networks/discord/subject.ts';
import { facebookWithTwoPages } from '../support/networks/facebook/subject.ts';
import { createSwitchboard } from '../support/networks/faults.ts';
import { instagramOfPage } from '../support/networks/instagram/subject.ts';
import { linkedinMember } from '../support/networks/linkedin/subject.ts';
import { goToSocial, mastodonByConsent } from '../support/networks/mastodon/subject.ts';
import { twitterBlind } from '../support/networks/twitter/subject.ts';

const withoutFaults = (subject: NetworkSubject) =>
  describeLiveCases({ ...subject, start: (db) => subject.start(createSwitchboard(), db) });

const variants = [
  discordWebhook,
  facebookWithTwoPages,
  goToSocial,
  instagramOfPage,
  linkedinMember,
  twitterBlind,
];
for (const subject of variants) {
  describe(subject.title ?? subject.name, () => withoutFaults(subject));
}
describe('mastodon, by consent', () => describeLiveCases(mastodonByConsent));
