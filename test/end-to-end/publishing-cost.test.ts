// What a post costs Temporal: its history, in a run whose networks answer at once.
import { describe, expect, test } from 'vitest';
import { temporal } from '@temporalio/proto';
import { useApp } from '../support/app/app.ts';

const { EventType } = temporal.api.enums.v1;

const app = useApp();

/** The kinds of the events in the history of the post's run, once that is over. */
async function readHistory(postId: string): Promise<string[]> {
  const { workflow_id } = await app.database.db
    .selectFrom('posts')
    .select('workflow_id')
    .where('id', '=', postId)
    .executeTakeFirstOrThrow();
  const workflow = app.namespace.client.workflow.getHandle(workflow_id!);
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
    expect(await readHistory(id)).toEqual([
      'workflow_execution_started',
      'workflow_task_scheduled',
      'workflow_task_started',
      'workflow_task_completed',
      'marker_recorded',
      'workflow_execution_completed',
    ]);
  });
});
