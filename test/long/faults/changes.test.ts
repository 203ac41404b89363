// Every fault in every call that edits or removes a published post, at every simulated network.
import { describe } from 'vitest';
import { describeChangeFaults } from '../../support/networks/contract/change-cases.ts';
import { sandbox } from '../../support/networks/contract/sandbox.ts';
import { discordBot, discordWebhook } from '../../support/networks/discord/subject.ts';
import { facebook } from '../../support/networks/facebook/subject.ts';
import { linkedinMember, linkedinPage } from '../../support/networks/linkedin/subject.ts';
import { goToSocial, mastodon } from '../../support/networks/mastodon/subject.ts';
import { pinterest } from '../../support/networks/pinterest/subject.ts';
import { slackSubject } from '../../support/networks/slack/subject.ts';
import { telegram } from '../../support/networks/telegram/subject.ts';
import { threadsWithDelete } from '../../support/networks/threads/subject.ts';
import { twitterBlind, twitterReading } from '../../support/networks/twitter/subject.ts';
import { wordpressSubject } from '../../support/networks/wordpress/subject.ts';
import { youtube } from '../../support/networks/youtube/subject.ts';

const subjects = [
  sandbox,
  mastodon,
  goToSocial,
  twitterBlind,
  twitterReading,
  linkedinMember,
  linkedinPage,
  facebook,
  threadsWithDelete,
  pinterest,
  telegram,
  slackSubject,
  discordBot,
  discordWebhook,
  wordpressSubject,
  youtube,
];

describe.each(subjects.map((subject) => [subject.title ?? subject.name, subject] as const))(
  'at %s',
  (_, subject) => describeChangeFaults(subject),
);
