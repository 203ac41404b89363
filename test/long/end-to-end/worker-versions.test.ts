// Two builds of the worker beside each other: each workflow ends on the build that began it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';

/** The workflow of a post that fails once waits as long. */
const waitMs = 4_000;

let first: TestApp;
let second: TestApp;

const settings = { FANFARE_UNAVAILABLE_DELAYS_MS: String(waitMs) };

beforeAll(async () => {
  first = await startApp({ env: { ...settings, TEMPORAL_BUILD_ID: 'one' } });
});

afterAll(async () => {
  await second?.stop();
  await first?.stop();
});

/** As `temporal worker deployment set-current-version` does. Repeats it until Temporal knows the build. */
async function makeCurrent(buildId: string): Promise<void> {
  const { client, namespace } = first.namespace;
  await expect
    .poll(() =>
      client.workflowService
        .setWorkerDeploymentCurrentVersion({ namespace, deploymentName: 'fanfare', buildId })
        .then(
          () => 'set',
          (error: Error) => error.message,
        ),
    )
    .toBe('set');
}

/** The build that the post's workflow is pinned to. */
async function buildOf(postId: string): Promise<string | null | undefined> {
  const { workflow_id: workflowId } = await first.database.db
    .selectFrom('posts')
    .select('workflow_id')
    .where('id', '=', postId)
    .executeTakeFirstOrThrow();
  const { raw } = await first.namespace.client.workflow.getHandle(workflowId!).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
}

test('a post that is under way ends on its build, and a new post begins on the current build', async () => {
  const { tenant } = first;
  await makeCurrent('one');
  const { id: account } = await tenant.connectSandbox('ada');
  const waiting = await tenant.createPost({
    caption: 'Under way [sandbox outcome=unavailable times=1]',
    account_ids: [account],
  });
  await expect.poll(() => buildOf(waiting.id)).toBe('one');

  second = await startApp({
    env: {
      ...settings,
      TEMPORAL_BUILD_ID: 'two',
      FANFARE_SANDBOX_API_URL: `${first.url}/sandbox`,
    },
    roles: { api: false, worker: true },
    database: first.database,
    namespace: first.namespace,
  });
  await makeCurrent('two');
  const later: string[] = [];
  for (let i = 0; i < 6; i++) {
    later.push((await tenant.createPost({ caption: `New ${i}`, account_ids: [account] })).id);
  }
  for (const id of later)
    expect(await tenant.waitForPost(id)).toMatchObject({ status: 'published' });
  expect(await tenant.waitForPost(waiting.id)).toMatchObject({ status: 'published' });
  expect(await buildOf(waiting.id)).toBe('one');
  expect(await Promise.all(later.map(buildOf))).toEqual(later.map(() => 'two'));
});
