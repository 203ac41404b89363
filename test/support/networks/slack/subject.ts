// Slack for the contract test: its simulator behind a port that can fail.
import { slack } from '../../../../schema/platforms/slack.ts';
import type { NetworkFacts, NetworkSubject, RunningNetwork } from '../contract/subject.ts';
import type { Switchboard } from '../faults.ts';
import { createImage, createVideo } from '../../media/target-media.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { SlackServer } from './server.ts';

const blocks = [
  { type: 'section', block_id: 'a_block', text: { type: 'mrkdwn', text: '*Hi* & <@U0123456789>' } },
  { type: 'divider' },
];

export const slackFacts: NetworkFacts = {
  name: 'slack',
  hasFlatThreads: true,
  options: [
    { given: { blocks }, arrives: { blocks, mrkdwn: false } },
    {
      given: { mrkdwn: true, unfurl_links: false, unfurl_media: false },
      arrives: { mrkdwn: true, unfurl_links: false, unfurl_media: false },
    },
    // This option has an effect only in replies.
    { given: { reply_broadcast: true }, arrives: {} },
  ],
};

const code = 'slack_connect_lists_sharing_blocked';

export const slackSubject: NetworkSubject = {
  ...slackFacts,
  resolution: 'search',
  calls: { commit: 1, reconcile: 1 },
  textLimit: slack.rules.text.max,
  // Slack gives a code but no words.
  refusal: { platformCode: code, message: code },
  start,
};

export const slackWithPictures: NetworkSubject = {
  ...slackSubject,
  title: 'slack, with pictures',
  // The second call of a step goes to the upload service, which has no tokens and no codes.
  calls: { prepare: 1, commit: 1, reconcile: 1 },
  media: [await createImage()],
};

export const slackWithVideo: NetworkSubject = {
  ...slackSubject,
  title: 'slack, with a video',
  calls: { prepare: 1, commit: 1, confirm: 1, reconcile: 1 },
  media: [createVideo()],
};

async function start(switchboard: Switchboard): Promise<RunningNetwork> {
  const network = new SlackServer();
  const { token, channel } = network;
  const server = await startFaultyServer(network, switchboard);
  return {
    env: { FANFARE_SLACK_API_URL: `${server.url}/api` },
    credentials: { bot_token: token, channel },
    wrongCredentials: [
      { field: 'bot_token', credentials: { bot_token: 'xoxb-1-2-wrong-token', channel } },
      { field: 'channel', credentials: { bot_token: token, channel: 'C0STRANGE1' } },
      { field: 'channel', credentials: { bot_token: token, channel: '#general' } },
    ],
    listPosts: () => network.listPosts(),
    listSecrets: () => [token],
    [Symbol.asyncDispose]: () => server.close(),
  };
}
