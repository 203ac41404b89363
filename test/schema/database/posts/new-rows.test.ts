// The rows of a new post that are made without a read: Postgres has the same.
import { expect, test } from 'vitest';
import { insertPost } from '../../../../schema/database/posts/insert-post.ts';
import {
  toNewRows,
  type NewPost,
  type NewResult,
} from '../../../../schema/database/posts/new-rows.ts';
import { getPostRow } from '../../../../schema/database/posts/posts.ts';
import { newId } from '../../../../schema/wire/ids.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { inQuietTransaction } from '../../../support/rows/quiet-transaction.ts';
import { addAccount, addProject } from '../../../support/rows/rows.ts';

const database = useDatabase();
const item = { id: 'med_1', url: null, alt_text: 'a', thumbnail_id: null, thumbnail_at_ms: 7 };
const scheduled_at = new Date(Date.now() + 3_600_123);

/** The columns that a post and a result may leave out, with a value each. */
const full: [Partial<NewPost>, Partial<NewResult>] = [
  {
    status: 'scheduled',
    scheduled_at,
    schedule: { local: '2026-12-01T09:00', timezone: 'Europe/Berlin', adjusted: 'none' },
    publish_by: new Date(scheduled_at.getTime() + 1),
    queue_id: 'que_1',
    media: [item],
    auto_fit: false,
    metadata: { b: 'Grüße', aa: '"' },
    current_run: 1,
    workflow_id: 'post/1',
  },
  {
    caption: 'own',
    kind: 'comment',
    step: 'a',
    thread_position: 1,
    in_reply_to: 'b',
    media: [],
    platform_options: { nested: { list: [1, null] } },
    default_options: { a: null },
    usage_month: '2026-01',
    content_hash: '\\x00ff',
  },
];

test.each<[string, Partial<NewPost>, Partial<NewResult>]>([
  ['a post with every column', ...full],
  ['a post with the least columns', {}, {}],
  ['a draft', { status: 'draft', scheduled_at }, {}],
])('%s', async (_, ofPost, ofResult) => {
  const { db } = database;
  const project_id = await addProject(db);
  const post_id = newId('post');
  const post: NewPost = {
    id: post_id,
    project_id,
    caption: 'hello',
    status: 'pending',
    created_at: new Date(Date.now() - 5_000),
    ...ofPost,
  };
  const first = newId('result');
  const result = {
    post_id,
    project_id,
    social_account_id: await addAccount(db, project_id, 'sandbox'),
    platform: 'sandbox',
    account_name: 'ada',
    status: 'pending',
    phase: 'prepare',
    phase_state: 'ready',
  } as const;
  const results: NewResult[] = [
    { ...result, id: first, position: 0 },
    { ...result, id: newId('result'), position: 1, answers_result_id: first, ...ofResult },
  ];
  await inQuietTransaction(db, (trx) => insertPost(trx, post, results));
  const scope = { projectId: project_id, environment: 'production' } as const;
  const stored = await getPostRow(db, scope, post_id);
  const expected = toNewRows(post, results);
  expect(stored.post).toEqual(expected.post);
  // Only statements read the hash.
  expect(stored.results.map((row) => ({ ...row, content_hash: null }))).toEqual(expected.results);
});
