// The connector of YouTube, connected to the simulator over HTTP.
import type {
  CommitOutcome,
  ConsentMethod,
  Fetch,
  Login,
  Target,
} from '../../../../activities/platforms/platform.ts';
import { createYouTube } from '../../../../activities/platforms/youtube/index.ts';
import { readConfig } from '../../../../schema/config/config.ts';
import { createVideo } from '../../media/target-media.ts';
import { appOf, callbackUrl, loginOf, toConnection } from '../connection.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { phasesOf, publishTarget, targetOf } from '../target.ts';
import { scopeUrl } from './login.ts';
import { createYouTubeServer } from './server.ts';

const never = new AbortController().signal;

/** `url`: URL of the simulator. */
export const youtubeVariables = (url: string) => ({
  FANFARE_YOUTUBE_API_URL: url,
  FANFARE_YOUTUBE_CONSENT_URL: `${url}/o/oauth2/v2/auth`,
  FANFARE_YOUTUBE_TOKEN_URL: url,
});

/** Asks for the scope of playlists, edits and removals, too. */
export const withAllScopes = {
  FANFARE_YOUTUBE_SCOPES: ['youtube.upload', 'youtube.readonly', 'youtube'].map(scopeUrl).join(' '),
};

interface Options {
  /** The `fetch` that reaches YouTube. */
  send?: Fetch;
  variables?: Record<string, string>;
}

export async function startYouTube({ send = fetch, variables = {} }: Options = {}) {
  const server = createYouTubeServer();
  server.login.redirectUri = callbackUrl;
  const { url, close } = await startFaultyServer(server, createSwitchboard());
  const { youtube: settings } = readConfig({
    ...youtubeVariables(url),
    ...variables,
  }).platforms;
  const youtube = createYouTube({ ...settings, fetch: send });
  const login = loginOf(youtube.connect[0] as ConsentMethod, appOf(server.login.client));
  const grant = await login.logIn();
  const connection = toConnection(grant);
  const stored: Login = { credentials: grant.credentials, app: login.app };
  const video = createVideo();
  const phases = phasesOf(youtube);

  /** Forgets the calls until now. */
  function forgetCalls(): void {
    server.calls.length = 0;
    server.requests.length = 0;
  }

  forgetCalls();
  return {
    server,
    url,
    youtube,
    ...login,
    grant,
    stored,
    connection,
    video,
    forgetCalls,
    /** A target with a video. */
    target: ({ platformOptions, ...change }: Partial<Target> = {}) =>
      targetOf(connection, {
        media: [video],
        platformOptions: { title: 'Brass', made_for_kids: false, ...platformOptions },
        ...change,
      }),
    ...phases,
    /** Prepares, commits and confirms. */
    publish: async (target: Target): Promise<CommitOutcome> =>
      publishTarget(youtube, await phases.prepare(target), never),
    [Symbol.asyncDispose]: close,
  };
}

export type ConnectedYouTube = Awaited<ReturnType<typeof startYouTube>>;
