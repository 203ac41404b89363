// The examples of request bodies, which the API reference shows as curl commands.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestExamples } from '../../scripts/request-examples.ts';
import { routes } from '../../api/resources/routes.ts';
import { ImportAccount } from '../../schema/accounts.ts';
import { SetPlatformApp } from '../../schema/platform-apps.ts';
import { CreateReviewLink } from '../../schema/posts/review-links.ts';
import { UpdateResult } from '../../schema/posts/result-changes.ts';
import { startApp, type TestApp } from '../support/app/app.ts';
import { hourAgo } from '../support/receivers/replays.ts';

const edit = 'Edit scripts/request-examples.ts.';

let app: TestApp;
let accountIds: string[];

beforeAll(async () => {
  app = await startApp({ roles: { api: true, worker: false } });
  const { tenant } = app;
  const accounts = [await tenant.connectSandbox('ada'), await tenant.connectSandbox('bob')];
  accountIds = accounts.map(({ id }) => id);
  // Of the example with a `return_url`.
  await tenant.api.patch('/v1/project', { return_origins: ['https://app.example.com'] });
});
afterAll(() => app.stop());

/** A resource for the `:id` in the path. */
async function create(resource: string): Promise<string> {
  if (resource === 'accounts') return accountIds[0]!;
  if (resource === 'queues') {
    const queue = { ...requestExamples['createQueue'], account_ids: accountIds };
    return (await app.api.post('/v1/queues', queue)).body.data.id as string;
  }
  const { id } = await (resource === 'posts'
    ? app.tenant.createPost({ caption: 'Hello', account_ids: accountIds, status: 'draft' })
    : app.tenant.createWebhook('https://app.example.com/hook'));
  return id;
}

/** Without those that ask a network, need an app there, or need a published target. */
const { connectAccount, importAccount, setPlatformApp, updateResult, createReviewLink, ...others } =
  requestExamples;

test.each(Object.entries(others))('%s accepts its example', async (name, example) => {
  const { method, path } = routes.find((route) => route.name === name)!;
  const id = path.includes(':id') ? await create(path.split('/')[2]!) : '';
  const url = app.url + path.replace(':id', id);
  // Readers fill in the IDs of accounts, and a start within the retention period.
  let account = 0;
  const body = JSON.stringify(example)
    .replaceAll(/"sa_\w+"/g, () => `"${accountIds[account++ % accountIds.length]}"`)
    .replace(/"from":"[^"]+"/, `"from":"${hourAgo()}"`);
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers: { Authorization: `Bearer ${app.tenant.key}`, 'Content-Type': 'application/json' },
    body,
  });
  expect(response.status, `${edit} ${await response.text()}`).toBeLessThan(300);
});

test('setPlatformApp, importAccount, updateResult and createReviewLink have bodies of their schemas', () => {
  expect(CreateReviewLink.parse(createReviewLink)).toEqual(createReviewLink);
  expect(UpdateResult.parse(updateResult)).toEqual(updateResult);
  expect(SetPlatformApp.parse(setPlatformApp)).toEqual(setPlatformApp);
  expect(ImportAccount.parse(importAccount)).toEqual(importAccount);
});

test('connectAccount names the credentials of its network', async () => {
  const { platform, credentials } = connectAccount as { platform: string; credentials: object };
  const { body } = await app.tenant.api.get('/v1/platforms/capabilities');
  const network = body.data.find((one: { platform: string }) => one.platform === platform);
  const validate = new Ajv2020({ strict: false, formats: { uri: true } }).compile(
    network.connect.credentials,
  );
  expect(validate(credentials), `${edit} ${JSON.stringify(validate.errors)}`).toBe(true);
});
