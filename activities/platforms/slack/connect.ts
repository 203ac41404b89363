// Connects a Slack channel if the token may post there and find its posts again.
import { z } from 'zod';
import { uploadScope } from '../../../schema/platforms/slack.ts';
import { pasted } from '../credential-fields.ts';
import type { Ask } from '../network-api.ts';
import type { Credentials, Grant } from '../platform.ts';
import { asFieldError, wrongCredential } from '../wrong-credential.ts';
import { meanings } from './client.ts';

export const ConnectInput = z
  .strictObject({
    bot_token: pasted(/^xoxb-[\w-]{1,500}$/, 'must be a bot token, which starts with xoxb-').meta({
      title: 'Bot token',
      'x-secret': true,
      description: 'On the page OAuth & Permissions of the app.',
    }),
    channel: pasted(
      /^[CG][A-Z0-9]{8,20}$/,
      'must be the ID of a channel, such as C0123456789',
    ).meta({ title: 'Channel ID', description: 'In Slack, at the end of the channel details.' }),
  })
  .meta({
    description:
      'Create an app at https://api.slack.com/apps with the bot scopes chat:write, files:write, channels:read, channels:history, groups:read and groups:history, and install it. Then invite it to the channel.',
  });

const Identity = z.object({ team_id: z.string(), team: z.string(), url: z.url() });
const Info = z.object({
  channel: z.object({
    name: z.string(),
    is_private: z.boolean(),
    is_member: z.boolean().default(false),
    is_archived: z.boolean().default(false),
  }),
});

export async function connect(ask: Ask, credentials: Credentials): Promise<Grant> {
  const { channel = '' } = credentials;
  const { body: identity, headers } = await ask('auth.test', Identity, { method: 'POST' });
  const scope = (headers.get('x-oauth-scopes') ?? '').split(/[\s,]+/).filter(Boolean);
  const asked = ask('conversations.info', Info, { query: { channel } });
  const { body: info } = await asked.catch(asFieldError('channel', 'rejected'));
  const { name, is_private, is_member, is_archived } = info.channel;
  if (is_archived) throw refuse('channel', 'is_archived');
  // A public channel accepts posts with chat:write.public, but only a member can find them again.
  if (!is_member) throw refuse('channel', 'not_in_channel');
  const needed = ['chat:write', is_private ? 'groups:history' : 'channels:history'];
  const missing = needed.filter((each) => !scope.includes(each)).join(',');
  if (missing !== '') throw refuse('bot_token', 'missing_scope', `needs ${missing}`);
  const account = {
    externalAccountId: `${identity.team_id}/${channel}`,
    accountName: `#${name} (${identity.team})`,
    traits: { workspaceUrl: identity.url, canUpload: scope.includes(uploadScope) },
    problem: null,
  };
  return { credentials, scope, tokenExpiresAt: null, accounts: [account] };
}

function refuse(field: string, platformCode: string, words = meanings.get(platformCode)) {
  const message = `Slack refused the request: ${platformCode}: ${words}`;
  return wrongCredential(field, message, platformCode);
}
