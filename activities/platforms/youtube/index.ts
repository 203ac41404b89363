// YouTube: videos of a channel, through an app of the operator or the project at Google.
import { z } from 'zod';
import { youtube } from '../../../schema/platforms/youtube.ts';
import { createOAuth, createOAuthLogin } from '../oauth/client.ts';
import { PlatformError } from '../platform-error.ts';
import type { Credentials, GrantedAccount, Platform } from '../platform.ts';
import { createYouTubeApi, network, type YouTubeSettings } from './api.ts';
import { editVideo, isVideoEdited, removeVideo, visibilityOf } from './edit-video.ts';
import { followVideo } from './follow-video.ts';
import { confirmVideo, prepareVideo, publish, reconcileVideo } from './post.ts';
import { createSteps } from './steps.ts';

/** @see https://developers.google.com/youtube/data/reference/rest/v3/channels */
const Channels = z.object({
  items: z
    .array(
      z.object({
        id: z.string().regex(/^[\w-]+$/),
        snippet: z.object({
          title: z.string().default(''),
          thumbnails: z
            .object({ default: z.object({ url: z.string() }) })
            .optional()
            .catch(undefined),
        }),
        contentDetails: z.object({ relatedPlaylists: z.object({ uploads: z.string() }) }),
      }),
    )
    .default([]),
});

export function createYouTube(settings: YouTubeSettings): Platform {
  const { fetch, consentUrl, tokenUrl, scopes } = settings;
  const open = createYouTubeApi(settings);
  // https://developers.google.com/identity/protocols/oauth2/web-server
  const oauth = createOAuth(fetch, {
    network,
    authorizationEndpoint: consentUrl,
    tokenEndpoint: `${tokenUrl}/token`,
    revocationEndpoint: `${tokenUrl}/revoke`,
    revokesAll: true,
    clientAuth: 'post',
    scopes,
    // Without a new consent, Google returns no refresh token to a user who has consented before.
    parameters: { access_type: 'offline', prompt: 'consent' },
    needsRefreshToken: true,
  });

  /** The user chooses one channel at the consent. */
  async function listAccounts(credentials: Credentials, signal: AbortSignal) {
    const { ask } = open(credentials, signal);
    const query = { part: 'snippet,contentDetails', mine: 'true' };
    const { items } = (await ask('/youtube/v3/channels', Channels, { query })).body;
    if (items.length > 0) return items.map(toAccount);
    const message = 'This Google account has no YouTube channel. Create one, then log in again.';
    throw new PlatformError('rejected', message, { platformCode: 'youtubeSignupRequired' });
  }

  const { consent, inspect, ...login } = createOAuthLogin(oauth, listAccounts);
  return {
    definition: youtube,

    connect: [{ ...consent, button: 'google' }],

    ...login,

    prepare: (target, signal) => prepareVideo(open(target.credentials, signal), target),
    commit: (target, signal) => publish(open(target.credentials, signal), target),
    confirm: (target, signal) => confirmVideo(open(target.credentials, signal), target),
    reconcile: (target, signal) => reconcileVideo(open(target.credentials, signal), target),

    steps: createSteps(open),

    followUp: (post, signal) => followVideo(open(post.credentials, signal), post),

    unpublish: { remove: (post, signal) => removeVideo(open(post.credentials, signal), post) },

    edit: {
      apply: (post, signal) => editVideo(open(post.credentials, signal), post),
      isApplied: (post, signal) => isVideoEdited(open(post.credentials, signal), post),
      visibilityOf,
    },

    revoke: (login, signal) => oauth.revoke(login, signal),
    // Without the scope `openid`, Google names the channel of a login, but not its user.
    revokesAll: { userOf: () => undefined },

    checks: { inspect },
  };
}

const toAccount = ({
  id,
  snippet,
  contentDetails,
}: z.infer<typeof Channels>['items'][number]): GrantedAccount => ({
  externalAccountId: id,
  accountName: snippet.title.trim() || 'YouTube channel',
  pictureUrl: snippet.thumbnails?.default.url,
  traits: { uploads: contentDetails.relatedPlaylists.uploads },
  problem: null,
});
