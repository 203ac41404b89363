// Bluesky for the contract test: its own server, behind a port that can fail.
import { z } from 'zod';
import { createBluesky } from '../../../../activities/platforms/bluesky/index.ts';
import type { Login } from '../../../../activities/platforms/platform.ts';
import { bluesky as definition } from '../../../../schema/platforms/bluesky.ts';
import { connectByConsent } from '../../servers/bluesky-consent.ts';
import type { BlueskyPds } from '../../servers/bluesky-pds.ts';
import { formOf } from '../connection.ts';
import type { Switchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import type {
  NetworkFacts,
  NetworkServer,
  NetworkSubject,
  PublicPost,
  RefusalKind,
  RunningNetwork,
} from './subject.ts';

/**
 * Names the origin that a call was for, since one port stands for the server and for the directory of its
 * accounts.
 */
const originHeader = 'x-origin';
const password = 'correct-horse-battery';
let accountCount = 0;

/** The post that an example quotes. */
const quoted = { handle: 'quoted.test', rkey: '3l6oveex3ii2l' };
const serversWithQuoted = new WeakSet<BlueskyPds>();

async function postQuoted(pds: BlueskyPds): Promise<void> {
  if (serversWithQuoted.has(pds)) return;
  serversWithQuoted.add(pds);
  const { handle, rkey } = quoted;
  const { did, appPassword } = await pds.createAccount(handle, password);
  const { url: apiUrl, plcUrl } = pds;
  const bluesky = createBluesky({ fetch, apiUrl, plcUrl, lookUpTxt: () => Promise.resolve(null) });
  const signal = AbortSignal.timeout(10_000);
  const { credentials } = await formOf(bluesky).run({ handle, app_password: appPassword }, signal);
  const record = { text: 'Quote me', createdAt: new Date().toISOString() };
  const response = await fetch(`${pds.url}/xrpc/com.atproto.repo.putRecord`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${credentials['accessJwt']}`,
    },
    body: JSON.stringify({ repo: did, collection: 'app.bsky.feed.post', rkey, record }),
  });
  if (!response.ok) throw new Error(await response.text());
}

export const blueskyFacts: NetworkFacts = {
  name: 'bluesky',
  options: [
    {
      given: { langs: ['en', 'pt-BR'], tags: ['brass'] },
      arrives: { langs: ['en', 'pt-BR'], tags: ['brass'] },
    },
    {
      given: { labels: ['nudity'] },
      arrives: { labels: { values: [{ val: 'nudity' }] } },
    },
    {
      given: { threadgate: { allow: ['mention'] }, postgate: { disable_quotes: true } },
      arrives: { $type: 'app.bsky.feed.post' },
    },
    {
      given: { quote: `https://bsky.app/profile/${quoted.handle}/post/${quoted.rkey}` },
      arrives: { embed: { $type: 'app.bsky.embed.record' } },
      isOwn: true,
    },
    {
      given: { link: { url: 'https://example.com/a b?q=ä', title: 'Title', description: 'Text' } },
      arrives: {
        embed: {
          $type: 'app.bsky.embed.external',
          external: {
            uri: 'https://example.com/a%20b?q=%C3%A4',
            title: 'Title',
            description: 'Text',
          },
        },
      },
    },
  ],
};

export function createBlueskySubject(pds: BlueskyPds): NetworkSubject {
  return {
    ...blueskyFacts,
    resolution: 'key',
    calls: { commit: 1, reconcile: 1 },
    hasRefresh: true,
    publicStages: ['reconcile'],
    textLimit: definition.rules.text.max,
    refusal: { platformCode: 'NotWelcome', message: 'This is not welcome here.' },
    start: (switchboard) => start(pds, switchboard),
  };
}

/** Bluesky with a login at the server's page. The requests of such a login are signed. */
export function createBlueskyConsentSubject(pds: BlueskyPds): NetworkSubject {
  return {
    ...createBlueskySubject(pds),
    title: 'bluesky with a consent',
    start: (switchboard) => startWithConsent(pds, switchboard),
  };
}

async function startWithConsent(
  pds: BlueskyPds,
  switchboard: Switchboard,
): Promise<RunningNetwork> {
  const user = `contract${accountCount + 1}.test`;
  let login: Login | undefined;
  const network = await start(pds, switchboard, async (refresh_token) => {
    const bluesky = createBluesky({
      fetch,
      apiUrl: pds.url,
      plcUrl: pds.plcUrl,
      lookUpTxt: () => Promise.resolve(null),
    });
    const credentials = { ...login!.credentials, refresh_token };
    await bluesky.revoke!({ ...login!, credentials }, AbortSignal.timeout(10_000));
  });
  return {
    ...network,
    async logIn(platform) {
      const connected = await connectByConsent(platform, { handle: user, password });
      login = { credentials: connected.grant.credentials, app: connected.app };
      return connected;
    },
    listSecrets: () => [...network.listSecrets(), login?.credentials['dpop_jwk'] ?? []].flat(),
  };
}

/** `endLogin`: ends the login with the newest refresh token. Default: revokes the app password. */
async function start(
  pds: BlueskyPds,
  switchboard: Switchboard,
  endLogin?: (refreshToken: string) => Promise<void>,
): Promise<RunningNetwork> {
  const name = `contract${++accountCount}.test`;
  await postQuoted(pds);
  const { did, handle, appPassword } = await pds.createAccount(name, password);
  const accessTokens: string[] = [];
  const refreshTokens: string[] = [];
  const expired = new Set<string>();
  const network: NetworkServer = {
    refuse,
    async answer(request) {
      const headers = new Headers(request.headers);
      const [, scheme = '', token = ''] =
        /^(Bearer|DPoP) (\S+)$/.exec(headers.get('authorization') ?? '') ?? [];
      if (expired.has(token)) headers.set('authorization', `${scheme} ${pds.expireToken(token)}`);
      const response = await forward(request, headers);
      const session = Session.safeParse(
        await response
          .clone()
          .json()
          .catch(() => undefined),
      );
      if (session.success) {
        accessTokens.push(session.data.accessJwt);
        // A new token is the same token if it is issued in the same second.
        expired.delete(session.data.accessJwt);
        refreshTokens.push(session.data.refreshJwt);
      }
      return response;
    },
    expireToken: () => void expired.add(accessTokens.at(-1)!),
    async revokeToken() {
      if (endLogin) await endLogin(refreshTokens.at(-1)!);
      else await pds.revokeAppPassword(handle, password);
      expired.add(accessTokens.at(-1)!);
    },
  };
  const server = await startFaultyServer(network, switchboard);
  return {
    env: pds.env,
    credentials: { handle, app_password: appPassword },
    wrongCredentials: [
      { field: 'app_password', credentials: { handle, app_password: 'wrong-pass-word-here' } },
      { field: 'handle', credentials: { handle: 'nobody', app_password: appPassword } },
    ],
    tools: {
      fetch(url, init) {
        const { origin, pathname, search } = new URL(url);
        const headers = new Headers(init?.headers);
        headers.set(originHeader, origin);
        return switchboard.fetch(`${server.url}${pathname}${search}`, { ...init, headers });
      },
    },
    listPosts: () => listPosts(pds, did),
    countRefreshes: () => refreshTokens.length - 1,
    listSecrets: () => [appPassword, ...accessTokens, ...refreshTokens],
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** A session with an app password, or of a consent. */
const Session = z.union([
  z.object({ accessJwt: z.string(), refreshJwt: z.string() }),
  z
    .object({ access_token: z.string(), refresh_token: z.string() })
    .transform(({ access_token: accessJwt, refresh_token: refreshJwt }) => ({
      accessJwt,
      refreshJwt,
    })),
]);

async function forward(request: Request, headers: Headers): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const origin = headers.get(originHeader)!;
  for (const name of [originHeader, 'host', 'connection', 'content-length']) headers.delete(name);
  const { method } = request;
  const body = method === 'GET' ? null : await request.arrayBuffer();
  const response = await fetch(`${origin}${pathname}${search}`, { method, headers, body });
  // The answer has no `content-encoding`, because fetch has decoded the body.
  return new Response(await response.arrayBuffer(), {
    status: response.status,
    headers: {
      'content-type': response.headers.get('content-type') ?? 'text/plain',
      ...pick(response.headers, ['dpop-nonce', 'www-authenticate']),
    },
  });
}

const pick = (headers: Headers, names: string[]) =>
  Object.fromEntries(
    names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])),
  );

/** Refuses in the words of a PDS. */
function refuse(kind: RefusalKind): Response {
  const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1_000) + seconds);
  switch (kind) {
    case 'limited':
      return toResponse(429, 'RateLimitExceeded', 'Rate Limit Exceeded');
    case 'limited_with_retry_after':
      return toResponse(429, 'RateLimitExceeded', 'Rate Limit Exceeded', {
        'ratelimit-remaining': '0',
        'ratelimit-reset': inSeconds(2),
      });
    case 'unavailable':
      return toResponse(503, 'NotEnoughResources', 'Service Unavailable');
    case 'error':
      return toResponse(500, 'InternalServerError', 'Internal Server Error');
    case 'rejected':
      return toResponse(400, 'NotWelcome', 'This is not welcome here.');
  }
}

const toResponse = (status: number, error: string, message: string, headers = {}) =>
  Response.json({ error, message }, { status, headers });

const Records = z.object({
  records: z.array(
    z.object({
      uri: z.string(),
      value: z.looseObject({
        text: z.string(),
        reply: z.object({ parent: z.object({ uri: z.string() }) }).optional(),
      }),
    }),
  ),
});

async function listPosts(pds: BlueskyPds, did: string): Promise<PublicPost[]> {
  const query = new URLSearchParams({ repo: did, collection: 'app.bsky.feed.post', limit: '100' });
  const response = await fetch(`${pds.url}/xrpc/com.atproto.repo.listRecords?${query.toString()}`);
  const { records } = Records.parse(await response.json());
  return records.map(({ uri, value }) => ({
    id: uri,
    text: value.text,
    replyTo: value.reply?.parent.uri ?? null,
    options: value,
  }));
}
