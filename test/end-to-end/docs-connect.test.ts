// What the docs say about connecting accounts: their requests, run as printed, and the statuses.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ConnectSessionStatus } from '../../schema/accounts.ts';
import { meaningsOf } from '../../schema/wire/described-enum.ts';
import { startApp, type TestApp } from '../support/app/app.ts';
import { giveConsent } from '../support/app/consent.ts';
import { createBrowser } from '../support/app/browser.ts';
import { createShell, type Shell } from '../support/app/shell.ts';
import { readBlocks, readPage, readTable } from '../support/checks/readme.ts';
import { createSwitchboard } from '../support/networks/faults.ts';
import { startFaultyServer } from '../support/networks/faulty-server.ts';
import { createMastodonServer } from '../support/networks/mastodon/server.ts';
import { createMedia, pngOf, putBytes } from '../support/media/uploads.ts';

let app: TestApp;
let shell: Shell;

beforeAll(async () => {
  [app, shell] = [await startApp({ roles: { api: true, worker: false } }), await createShell()];
});
afterAll(async () => {
  await app.stop();
  await shell[Symbol.asyncDispose]();
});

const quickstart = readPage('docs/quickstart.md');

/** The only command of the page that has the text. */
function find(path: string, text: string): string {
  const commands = readBlocks(readPage(path))
    .filter(({ language }) => language === 'sh')
    .flatMap((block) => block.text.split('\n\n'))
    .filter((command) => command.includes(text));
  expect(commands, `commands of ${path} with ${text}`).toHaveLength(1);
  return commands[0]!;
}

const run = async (command: string) =>
  JSON.parse(await shell.run(command, { URL: app.url, KEY: app.tenant.key })).data;

describe('a connect session', () => {
  const created = '"platform":"sandbox","external_user_id"';

  test('is created, read and used to reconnect as in the quickstart', async () => {
    const session = await run(find('docs/quickstart.md', created));
    await giveConsent(session.url, { decision: { handle: 'ada' } });
    const read = find('docs/quickstart.md', '$URL/v1/connect/sessions/cs_SESSION');
    const ended = await run(read.replace('cs_SESSION', session.id));
    expect(ended).toMatchObject({ id: session.id, url: null, status: 'completed' });
    const origins = await run(find('docs/quickstart.md', '"return_origins"'));
    expect(origins.return_origins).toEqual(['https://app.example.com']);
    const { completed_social_account_id: accountId } = ended;
    const again = find('docs/quickstart.md', '"social_account_id":"sa_ADA"');
    expect(await run(again.replace('sa_ADA', accountId))).toMatchObject({
      social_account_id: accountId,
      return_url: 'https://app.example.com/connected',
      status: 'pending',
    });
  });

  test('has pages with the logo that the page of hosted pages sets', async () => {
    const image = await pngOf(40, 40);
    const upload = async () => {
      const { id, upload_url } = await createMedia(app.api);
      await putBytes(upload_url, image);
      return id as string;
    };
    const command = find('docs/hosted-pages.md', 'logo_media_id');
    const [light, dark] = [await upload(), await upload()];
    const project = await run(command.replace('med_LOGO', light).replace('med_DARK', dark));
    expect(project).toMatchObject({ logo_media_id: light, dark_logo_media_id: dark });
    const session = await run(find('docs/quickstart.md', created));
    const { html } = await createBrowser().visit(session.url);
    expect(html).toContain(`/brand/${project.id}/logo?v=${light}`);
    expect(html).toContain(`/brand/${project.id}/logo?theme=dark&amp;v=${dark}`);
  });

  test('has the statuses of the quickstart', () => {
    const rows = Object.entries(meaningsOf(ConnectSessionStatus));
    expect(readTable(quickstart, '`status`')).toEqual(
      rows.map(([status, meaning]) => [`\`${status}\``, meaning]),
    );
  });

  test('is created and read in GraphQL', async () => {
    const { createConnectSession: session } = await run(
      find('docs/graphql.md', 'createConnectSession'),
    );
    await giveConsent(session.url, { decision: { handle: 'bob' } });
    const read = find('docs/graphql.md', 'connectSession(id: $id)');
    expect((await run(read.replace('cs_SESSION', session.id))).connectSession).toEqual({
      status: 'COMPLETED',
      completedSocialAccounts: [{ id: expect.stringMatching(/^sa_/), accountName: 'bob' }],
    });
  });
});

describe("a project's own app", () => {
  const clientId = 'YOUR_CLIENT_ID';

  test('is set', async () => {
    expect(await run(find('docs/accounts.md', clientId))).toMatchObject({
      platform: 'twitter',
      client_id: clientId,
      has_client_secret: true,
    });
  });

  test('is set in GraphQL', async () => {
    const { setPlatformApp } = await run(find('docs/graphql.md', 'setPlatformApp'));
    expect(setPlatformApp).toEqual({ platform: 'TWITTER', clientId, hasClientSecret: true });
  });
});

describe('an import of tokens', () => {
  /** Replaces the server and the token of the example. */
  async function runAtServer(command: string) {
    const network = createMastodonServer();
    const { url, close } = await startFaultyServer(network, createSwitchboard());
    onTestFinished(close);
    return run(command.replace('mastodon.social', url).replace('YOUR_TOKEN', network.token));
  }

  test('connects the account', async () => {
    const account = await runAtServer(find('docs/accounts.md', '/v1/accounts/import'));
    expect(account).toMatchObject({ platform: 'mastodon', status: 'active' });
  });

  test('connects the account in GraphQL', async () => {
    const { importAccount } = await runAtServer(find('docs/graphql.md', 'importAccount'));
    expect(importAccount).toEqual({
      id: expect.stringMatching(/^sa_/),
      accountName: expect.any(String),
    });
  });
});
