// The workflows and history events of posts and deliveries whose networks and receivers answer at once.
import { describe, expect, test } from 'vitest';
import { temporal } from '@temporalio/proto';
import { useApp } from '../support/app/app.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { workflowOf } from '../support/rows/rows.ts';

const { EventType } = temporal.api.enums.v1;

const app = useApp();

/** Waits until the workflow has ended. Returns the kinds of the events in its history. */
async function readHistory(workflowId: string): Promise<string[]> {
  const workflow = app.namespace.client.workflow.getHandle(workflowId);
  await workflow.result();
  const { events } = await workflow.fetchHistory();
  return events!.map(({ eventType }) =>
    EventType[eventType!].replace(/^EVENT_TYPE_/, '').toLowerCase(),
  );
}

describe('a post whose networks answer at once', () => {
  test.each([
    ['one target', 1],
    ['three targets', 3],
  ])('is one task in Temporal, with one marker, for %s', async (_, count) => {
    const handles = Array.from({ length: count }, (_, i) => `cost-${count}-${i}`);
    const accounts = await Promise.all(handles.map((handle) => app.tenant.connectSandbox(handle)));
    const { id } = await app.tenant.createPost({
      caption: 'hello',
      account_ids: accounts.map((account) => account.id),
    });
    expect((await app.tenant.waitForPost(id)).status).toBe('published');
    expect(await readHistory(await workflowOf(app.database.db, id))).toEqual([
      'workflow_execution_started',
      'workflow_task_scheduled',
      'workflow_task_started',
      'workflow_task_completed',
      'marker_recorded',
      'workflow_execution_completed',
    ]);
  });
});

describe('an event whose receiver accepts it at once', () => {
  test('needs no workflow', async () => {
    await using receiver = await startReceiver();
    await app.tenant.createWebhook(receiver.url, ['post.published']);
    const account = await app.tenant.connectSandbox('cost-event');
    const { workflow } = app.namespace.client;
    const countWorkflows = async () =>
      (await workflow.count("WorkflowType = 'deliverEvents'")).count;
    const needed: number[] = [];
    // A workflow starts after half a second, which a busy machine may take.
    for (let event = 1; event <= 5 && !needed.includes(0); event++) {
      const before = await countWorkflows();
      const { id } = await app.tenant.createPost({ caption: 'hello', account_ids: [account.id] });
      await app.tenant.waitForPost(id);
      await receiver.waitForCount(event);
      const outbox = app.database.db.selectFrom('outbox').select('id');
      await expect.poll(async () => (await outbox.execute()).length).toBe(0);
      needed.push((await countWorkflows()) - before);
    }
    expect(needed).toContain(0);
  });
});

describe('forty posts that come together', () => {
  test('share few workflows, each with one activity', async () => {
    const account = await app.tenant.connectSandbox('cost-group');
    const posts = Array.from({ length: 40 }, (_, i) => ({
      caption: `hello ${i}`,
      account_ids: [account.id],
    }));
    const { body } = await app.api.post('/v1/posts/bulk', { posts });
    const ids = (body.data as { post: { id: string } }[]).map(({ post }) => post.id);
    for (const id of ids) expect((await app.tenant.waitForPost(id)).status).toBe('published');
    const workflowIds = new Set(
      await Promise.all(ids.map((id) => workflowOf(app.database.db, id))),
    );
    // The relay claims about five times a second. On a slow machine, all posts take several claims.
    expect(workflowIds.size).toBeLessThanOrEqual(8);
    const group = [...workflowIds].find((id) => id.startsWith('posts/'));
    expect(await readHistory(group!)).toEqual([
      'workflow_execution_started',
      'workflow_task_scheduled',
      'workflow_task_started',
      'workflow_task_completed',
      'activity_task_scheduled',
      'activity_task_started',
      'activity_task_completed',
      'workflow_task_scheduled',
      'workflow_task_started',
      'workflow_task_completed',
      'workflow_execution_completed',
    ]);
  });
});
