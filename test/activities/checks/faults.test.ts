// Twelve faults at the networks of Meta: a check names the step, the code and the next action, and nothing is public.
import { expect, test } from 'vitest';
import type { PublicUrls } from '../../../activities/platforms/public-urls.ts';
import type { NewApp, Platform } from '../../../activities/platforms/platform.ts';
import { nextActionOf } from '../../../schema/account-checks.ts';
import { publicUrlsAt, startMediaHost } from '../../support/account-checks/media-host.ts';
import {
  addCheck,
  checkDependencies,
  statusesOf,
  takeToEnd,
  type CheckedNetwork,
} from '../../support/account-checks/run-check.ts';
import { forFile } from '../../support/fixtures.ts';
import { startFacebook } from '../../support/networks/facebook/connected.ts';
import { toConnection } from '../../support/networks/connection.ts';
import { startInstagram } from '../../support/networks/instagram/connected.ts';
import { GraphRefusal } from '../../support/networks/meta/refusals.ts';
import { startThreads } from '../../support/networks/threads/connected.ts';
import { apiError } from '../../support/networks/threads/refusals.ts';
import { quotas } from '../../support/networks/threads/shown.ts';
import { startHttp } from '../../support/receivers/loopback.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();
const media = forFile(() => startMediaHost(database.db));

interface Started<Server> extends AsyncDisposable, CheckedNetwork {
  readonly app: NewApp;
  readonly server: Server;
}

function toNetwork<Server>(
  started: AsyncDisposable & { server: Server; app: NewApp },
  platform: Platform,
  connection: CheckedNetwork['connection'],
): Started<Server> {
  const { server, app } = started;
  return {
    server,
    platform,
    connection,
    app,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

async function threads() {
  const started = await startThreads();
  return toNetwork(started, started.threads, started.connection);
}

async function instagram() {
  const started = await startInstagram();
  return toNetwork(started, started.instagram, started.connection);
}

async function facebook() {
  const started = await startFacebook();
  return toNetwork(started, started.facebook, toConnection(await started.logIn()));
}

type Network = Started<{ listPosts(): unknown[] }>;

interface Planted {
  network: Network;
  /** Default: that of the test. */
  publicUrls?: PublicUrls;
}

/** The same login with another token. */
function withToken<N extends Network>(network: N, access_token: string): N {
  const { connection } = network;
  const credentials = { ...connection.credentials, access_token };
  return { ...network, connection: { ...connection, credentials } };
}

const plants: Record<string, () => Promise<Planted>> = {
  async 'a revoked token'() {
    const network = await threads();
    network.server.revokeToken();
    return { network };
  },
  async 'a missing scope'() {
    const network = await threads();
    const token = network.server.logins.createToken(['threads_basic']);
    return { network: withToken(network, token) };
  },
  async 'an app in development mode'() {
    const network = await threads();
    const message =
      'This action requires the threads_basic permission. You must submit for app review, or your user must be in the list of Threads testers.';
    network.server.answers.push(apiError(100, message, { status: 400, subcode: 10 }).toResponse());
    return { network };
  },
  async 'a used quota'() {
    const network = await threads();
    network.server.quota.posts = quotas.posts;
    return { network };
  },
  async 'a media address that nobody answers'() {
    return { network: await threads(), publicUrls: publicUrlsAt('http://127.0.0.1:2') };
  },
  async 'a media address that redirects'() {
    const { url } = await startHttp((_, response) =>
      response.writeHead(301, { location: 'https://example.com/' }).end(),
    );
    return { network: await instagram(), publicUrls: publicUrlsAt(url) };
  },
  async 'a failed container'() {
    const network = await threads();
    network.server.failures.push('INVALID_ASPEC');
    return { network };
  },
  async 'expired containers'() {
    const network = await threads();
    const { containers } = network.server;
    containers.push = (...made) => {
      const all = made.map((container) => ({ ...container, madeAt: 0 }));
      return Array.prototype.push.apply(containers, all);
    };
    return { network };
  },
  async 'a restricted account'() {
    const network = await instagram();
    const { server } = network;
    const answer = server.answer.bind(server);
    const restricted = new GraphRefusal(25, 'User access is restricted', { subcode: 2207050 });
    server.answer = (request) =>
      request.method === 'POST' && new URL(request.url).pathname.endsWith('/media')
        ? Promise.resolve(restricted.toResponse({ type: 'IGApiException' }))
        : answer(request);
    return { network };
  },
  async 'a page that the user allows no posts to'() {
    const network = await facebook();
    network.server.logins.postablePages = ['999'];
    return { network };
  },
  async 'a personal account'() {
    const network = await instagram();
    network.server.accountType = 'PERSONAL';
    return { network };
  },
  async 'a network that is down'() {
    const network = await threads();
    await network[Symbol.asyncDispose]();
    return { network };
  },
};

test.each([
  ['a revoked token', 'login', 'token_revoked', 'reconnect_account'],
  ['a missing scope', 'scopes', 'permission_missing', 'reconnect_account'],
  ['an app in development mode', 'app', 'app_not_approved', 'contact_operator'],
  ['a used quota', 'quota', 'quota_exhausted', 'wait'],
  ['a media address that nobody answers', 'media_address', 'media_not_public', 'contact_operator'],
  ['a media address that redirects', 'media_address', 'media_not_public', 'contact_operator'],
  ['a failed container', 'preparation', 'rejected', 'contact_operator'],
  ['expired containers', 'preparation', 'unavailable', 'retry'],
  ['a restricted account', 'preparation', 'account_restricted', 'wait'],
  ['a page that the user allows no posts to', 'scopes', 'permission_missing', 'reconnect_account'],
  ['a personal account', 'scopes', 'permission_missing', 'reconnect_account'],
  ['a network that is down', 'login', 'unavailable', 'retry'],
] as const)('%s fails the step %s with the code %s', async (fault, name, code, nextAction) => {
  const { network, publicUrls = media.publicUrls } = await plants[fault]!();
  await using _ = network;
  const { checkId } = await addCheck(database.db, network);
  const dependencies = checkDependencies(database.db, network, publicUrls);
  const check = await takeToEnd(dependencies, checkId);
  expect(check.status).toBe('failed');
  const failed = check.steps.filter(({ status }) => status === 'failed');
  expect(failed, JSON.stringify(check.steps)).toMatchObject([{ name, code }]);
  expect(failed[0]!.message).toMatch(/\w{3,}.*[.)]$/);
  expect(nextActionOf(code)).toBe(nextAction);
  expect(Object.values(statusesOf(check))).not.toContain('pending');
  expect(network.server.listPosts()).toEqual([]);
});

test.each([
  ['Threads', threads],
  ['Instagram', instagram],
  ['Facebook', facebook],
] as const)('a faultless %s account passes its check, and keeps no post', async (_, start) => {
  await using network: Network = await start();
  const { checkId } = await addCheck(database.db, network);
  const dependencies = checkDependencies(database.db, network, media.publicUrls);
  const check = await takeToEnd(dependencies, checkId);
  expect(check.status, JSON.stringify(check.steps)).toBe('passed');
  expect(new Set(Object.values(statusesOf(check)))).toEqual(new Set(['passed']));
  expect(network.server.listPosts()).toEqual([]);
});
