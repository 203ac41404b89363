// A login server that rotates the refresh token at once, and answers late.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createOAuth } from '../../../activities/platforms/oauth/client.ts';
import { asProject } from '../../../activities/current-project.ts';
import { createOutbound } from '../../../api/server/outbound.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { putApp } from '../../../schema/database/accounts/apps.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { insertProject } from '../../../schema/database/projects.ts';
import { elapse } from '../../support/elapse.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addGrant, readGranted } from '../../support/rows/grants.ts';
import { rowsVault } from '../../support/rows/rows.ts';
import { addAccountOf, addTargets, advanceToEnd } from '../../support/rows/targets.ts';
import { useScriptedNetwork } from '../../support/scripted-network.ts';

/** All limits of calls pass so many times as fast. */
const speed = 20;
const answersAfterMs = 30_000 / speed;

const database = useDatabase();
const network = useScriptedNetwork();
afterEach(() => void vi.restoreAllMocks());

/** Each refresh token works once. */
async function startLoginServer() {
  const valid = new Set(['r1']);
  let refreshes = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const sent = new URLSearchParams(await new Response(request as never).text());
      refreshes++;
      const isValid = valid.delete(sent.get('refresh_token') ?? '');
      if (isValid) valid.add('r2');
      await elapse(answersAfterMs, 'the answer comes after other calls would have timed out');
      response.writeHead(isValid ? 200 : 400, { 'content-type': 'application/json' });
      const tokens = { access_token: 'new', refresh_token: 'r2', token_type: 'bearer' };
      response.end(JSON.stringify(isValid ? tokens : { error: 'invalid_grant' }));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => refreshes,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

test('a login survives an answer after 30 s, with one refresh for five posts', async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(Math.ceil(ms / speed)));
  await using server = await startLoginServer();
  const config = readConfig({ FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8' });
  const { safeFetch } = createOutbound(config, 0, 'http://127.0.0.1');
  const oauth = createOAuth(safeFetch.fetch, {
    network: 'Network',
    authorizationEndpoint: `${server.url}/authorize`,
    tokenEndpoint: `${server.url}/token`,
    scopes: ['write'],
    clientAuth: 'basic',
  });
  const platform = {
    ...network.platform,
    commit: (target: Parameters<typeof network.platform.commit>[0], signal: AbortSignal) => {
      const { access_token: token = '' } = target.credentials;
      const credentials = { ...target.credentials, token };
      return network.platform.commit({ ...target, credentials }, signal);
    },
    refresh: oauth.refresh,
    canRefresh: () => true,
  };
  network.expiredTokens.add('old');
  const { db } = database;
  const dependencies = dependenciesOf(db, { platform });

  const projectId = newId('project');
  await insertProject(db, { id: projectId, name: 'test' });
  const app = { clientId: 'app', clientSecret: 'secret', platform: 'sandbox' as const };
  const { id: appId } = await putApp(db, projectId, rowsVault, app);
  const credentials = { access_token: 'old', refresh_token: 'r1' };
  const grantId = await addGrant(db, { projectId, credentials, appId });
  const account = await addAccountOf(db, projectId, grantId);
  const targets = await Promise.all(Array.from({ length: 5 }, () => addTargets(db, account)));

  const ended = await Promise.all(
    targets.map(({ resultIds }) =>
      asProject(projectId, () => advanceToEnd(dependencies, resultIds[0]!)),
    ),
  );
  expect(ended.map(({ status }) => status)).toEqual(targets.map(() => 'published'));
  expect(server.count()).toBe(1);
  expect(await readGranted(db, account.accountId)).toMatchObject({
    status: 'active',
    credential_version: 2,
  });
  await safeFetch.close();
});
