// What the contract knows of each network at any of its servers.
import type { Credentials } from '../../../../activities/platforms/platform.ts';
import type { PlatformName } from '../../../../schema/platforms/index.ts';
import { instagramFacts } from '../instagram/subject.ts';
import { pinterestFacts } from '../pinterest/subject.ts';
import { slackFacts } from '../slack/subject.ts';
import { facebookFacts } from '../facebook/subject.ts';
import { linkedinFacts } from '../linkedin/subject.ts';
import { mastodonFacts } from '../mastodon/subject.ts';
import { twitterFacts } from '../twitter/subject.ts';
import { telegram } from '../telegram/subject.ts';
import { threadsFacts } from '../threads/subject.ts';
import { tiktokFacts } from '../tiktok/subject.ts';
import { blueskyFacts } from './bluesky.ts';
import { nostrFacts } from '../nostr/subject.ts';
import { discordBot, discordWebhook } from '../discord/subject.ts';
import { sandbox } from './sandbox.ts';
import { wordpressFacts } from '../wordpress/subject.ts';
import { youtubeFacts } from '../youtube/subject.ts';
import type { NetworkFacts } from './subject.ts';

/** The facts of each network. Where its accounts differ, they depend on the credentials. */
const networks: Record<PlatformName, (credentials: Credentials) => NetworkFacts> = {
  sandbox: () => sandbox,
  bluesky: () => blueskyFacts,
  mastodon: () => mastodonFacts,
  twitter: () => twitterFacts,
  linkedin: () => linkedinFacts,
  facebook: () => facebookFacts,
  threads: () => threadsFacts,
  instagram: () => instagramFacts,
  pinterest: () => pinterestFacts,
  youtube: () => youtubeFacts,
  tiktok: () => tiktokFacts,
  telegram: () => telegram,
  slack: () => slackFacts,
  discord: ({ webhook_url }) => (webhook_url === undefined ? discordBot : discordWebhook),
  nostr: () => nostrFacts,
  wordpress: () => wordpressFacts,
};

export const factsOf = (name: PlatformName, credentials: Credentials) =>
  networks[name](credentials);
