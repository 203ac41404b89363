// docs/networks has a page for every network, in one form, whose requests the API accepts.
import { describe, expect, test } from 'vitest';
import { platformDefinitions } from '../../../schema/platforms/index.ts';
import { findFormMethod } from '../../../activities/platforms/index.ts';
import { ConnectAccount, CreateConnectSession } from '../../../schema/accounts.ts';
import { useApp } from '../../support/app/app.ts';
import { readBlocks, readPage } from '../../support/checks/readme.ts';
import { addImage, videoRow } from '../../support/rows/media.ts';
import { addAccount } from '../../support/rows/rows.ts';
import { formOf } from '../../support/networks/connection.ts';

interface DocumentedRequest {
  path: string;
  body: string;
}

/** The requests of the page's `curl` commands. */
function listRequests(page: string): DocumentedRequest[] {
  return readBlocks(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => [...text.matchAll(/curl -sS \$URL(\S+)[\s\S]*? -d '([^']*)'/g)])
    .map(([, path, body]) => ({ path: path!, body: body! }));
}

const app = useApp({ roles: { api: true, worker: false } });

test('the index links to the page of each network, the sandbox last', () => {
  const linked = [...readPage('docs/networks.md').matchAll(/^- \[(.*)\]\(networks\/(.*)\.md\)$/gm)];
  const [sandbox, ...networks] = platformDefinitions.map(({ title, name }) => [title, name]);
  expect(
    linked.map(([, title, name]) => [title, name]),
    'docs/networks.md',
  ).toEqual([...networks, sandbox]);
});

describe.each(platformDefinitions)('the page on $title', ({ name, title }) => {
  const path = `docs/networks/${name}.md`;
  const page = readPage(path);

  test('has the parts that every page has', () => {
    expect(page.startsWith(`# ${title}\n`), path).toBe(true);
    const parts = [...page.matchAll(/^## (.*)$/gm)].map(([, part]) => part);
    expect(parts, path).toEqual([
      'Get credentials',
      'Connect',
      'Options',
      'Limits',
      'Not supported',
      'After a lost answer',
      'Errors',
    ]);
    expect(page).toContain(`<!-- options of ${name} -->`);
  });

  test('shows how to connect, with requests that the API accepts', () => {
    const network = app.context.platforms.get(name)!;
    const hasForm = findFormMethod(network) !== undefined;
    const connectPath = hasForm ? '/v1/accounts/connect' : '/v1/connect/sessions';
    const requests = listRequests(page).filter(({ path }) => path === connectPath);
    expect(requests.length).toBeGreaterThan(0);
    for (const { body } of requests) {
      if (!hasForm) {
        expect(CreateConnectSession.parse(JSON.parse(body)).platform).toBe(name);
        continue;
      }
      const { platform, credentials } = ConnectAccount.parse(JSON.parse(body));
      expect(platform).toBe(name);
      const parsed = formOf(network).credentials.safeParse(credentials);
      expect(parsed.error?.issues).toBeUndefined();
    }
  });

  test('shows posts that the API accepts', async () => {
    const { db } = app.database;
    const accountId = await addAccount(db, app.tenant.projectId, name);
    const imageId = await addImage(db, app.tenant.projectId);
    const videoId = await addImage(db, app.tenant.projectId, videoRow);
    const requests = listRequests(page).filter(({ path }) => path === '/v1/posts');
    expect(requests.length).toBeGreaterThan(0);
    for (const { body } of requests) {
      expect(body).toContain(`sa_${name.toUpperCase()}`);
      const post = JSON.parse(
        body
          .replaceAll(/sa_[A-Z]+/g, accountId)
          .replaceAll('med_VIDEO', videoId)
          .replaceAll(/med_[A-Z]+/g, imageId),
      );
      const answer = await app.api.post('/v1/posts/validate', post);
      expect(answer.body.data, body).toMatchObject({ valid: true, errors: [] });
    }
  });
});
