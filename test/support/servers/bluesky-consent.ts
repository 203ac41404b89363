// The consent page of a real PDS. Tests send the requests that the page's script sends from a browser.
// https://github.com/bluesky-social/atproto/tree/main/packages/oauth/oauth-provider/src/router
import { request, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ConsentMethod, Grant, Platform } from '../../../activities/platforms/platform.ts';
import type { App } from '../../../schema/platforms/definition.ts';

export interface BlueskyUser {
  handle: string;
  /** Password of the account, not an app password. */
  password: string;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ConsentOptions {
  /** What the user types to name the account. Default: the handle. */
  input?: string;
  callbackUrl?: string;
  /** Default: a new app for the callback. */
  app?: App;
  /** Changes the query of the callback. */
  change?(query: Record<string, string>): Record<string, string>;
}

const { signal } = new AbortController();
export const loopbackCallback = 'http://127.0.0.1:4000/connect/callback';

export const consentMethodOf = ({ connect }: Platform) => connect[0] as ConsentMethod;

export async function registerApp(
  platform: Platform,
  callbackUrl = loopbackCallback,
): Promise<App> {
  const { publicClient } = consentMethodOf(platform);
  return { id: 'app_1', ...(await publicClient!.create('prj_test', callbackUrl)) };
}

/** Takes a user through the whole flow, as the hosted pages do. */
export async function connectByConsent(
  platform: Platform,
  user: BlueskyUser,
  { input = user.handle, callbackUrl = loopbackCallback, change, ...given }: ConsentOptions = {},
): Promise<{ grant: Grant; app: App }> {
  const method = consentMethodOf(platform);
  const app = given.app ?? (await registerApp(platform, callbackUrl));
  const inputs = method.inputs!.parse({ handle: input });
  const state = crypto.randomUUID();
  const request = { state, callbackUrl, productName: 'Acme', inputs, app };
  const { url, flow } = await method.begin(request, signal);
  const back = new URL(await allowAtPds(url, user));
  const query = Object.fromEntries(back.searchParams);
  const grant = await method.complete(change ? change(query) : query, { ...request, flow }, signal);
  return { grant, app };
}

/** Logs in at the page and allows everything. Returns the address that the user is sent back to. */
export async function allowAtPds(pageUrl: string, user: BlueskyUser): Promise<string> {
  const page = await openPage(pageUrl);
  const { handle: username, password } = user;
  const signIn = { locale: 'en', username, password, remember: false };
  const { account, ephemeralToken } = await page.call<{
    account: { did: string };
    ephemeralToken: string;
  }>('sign-in', signIn);
  const { url } = await page.call<{ url: string }>('consent', { did: account.did }, ephemeralToken);
  return page.leave(url);
}

/** Refuses at the consent page. */
export async function denyAtPds(pageUrl: string): Promise<string> {
  const page = await openPage(pageUrl);
  return page.leave((await page.call<{ url: string }>('reject', {})).url);
}

async function openPage(pageUrl: string) {
  if (!URL.canParse(pageUrl)) throw new Error(`No page to open: ${pageUrl}`);
  const { origin } = new URL(pageUrl);
  const cookies = new Map<string, string>();

  async function send(url: string, headers: Record<string, string>, json?: object) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await sendOne(url, { ...headers, ...(cookie && { cookie }) }, json);
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = line.split(';', 1)[0]!.split('=');
      cookies.set(name, value);
    }
    return answer;
  }

  const visit = (url: string, site: string, referer?: string) =>
    send(url, {
      'sec-fetch-site': site,
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      ...(referer !== undefined && { referer }),
    });

  const shown = await visit(pageUrl, 'cross-site');
  if (shown.status !== 200) throw new Error(`The page answered ${shown.status}: ${shown.body}`);
  return {
    async call<T>(endpoint: string, json: object, token?: string): Promise<T> {
      const answer = await send(
        `${origin}/@atproto/oauth-provider/~api/${endpoint}`,
        {
          origin,
          referer: pageUrl,
          'sec-fetch-site': 'same-origin',
          'sec-fetch-mode': 'same-origin',
          'x-csrf-token': cookies.get('csrf-token') ?? '',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        json,
      );
      if (answer.status !== 200) throw new Error(`${endpoint}: ${answer.status} ${answer.body}`);
      return JSON.parse(answer.body) as T;
    },

    async leave(url: string): Promise<string> {
      const { headers, status } = await visit(url, 'same-origin', pageUrl);
      if (headers.location === undefined) throw new Error(`Not sent back, but ${status}.`);
      return headers.location;
    },
  };
}

/** Uses node:http, since fetch sends its own `Sec-Fetch-Mode`. */
async function sendOne(
  url: string,
  headers: Record<string, string>,
  json?: object,
): Promise<Answer> {
  const body = json && JSON.stringify(json);
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...headers,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      },
    });
    sent.once('error', reject).once('response', (response) => {
      text(response)
        .then((read) =>
          resolve({ status: response.statusCode!, headers: response.headers, body: read }),
        )
        .catch(reject);
    });
    sent.end(body);
  });
}
