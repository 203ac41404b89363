// Streams that break: the last message has the cursor to resume from, whatever broke them.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import {
  ask,
  subscribeOverSocket,
  subscribeOverSse,
  type SubscribeOptions,
} from '../../support/graphql/graphql.ts';
import { insertChanges } from '../../../schema/database/live/changes.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const app = useApp({
  roles: { api: true, worker: false },
  env: { FANFARE_LOG_LEVEL: 'silent' },
});

const query = `subscription ($after: String) {
  postUpdated(after: $after) { cursor postId post { id } }
}`;

const readCursor = async (): Promise<string> => {
  const { liveCursor } = await ask(app, '{ liveCursor }');
  return liveCursor;
};

const createDraft = async (caption: string): Promise<string> => {
  const account = await app.tenant.connectSandbox('ada');
  const post = { caption, account_ids: [account.id], status: 'draft' };
  const { body } = await app.api.post('/v1/posts', post);
  return body.data.id;
};

/** While it runs, no post can be read. */
async function withoutPosts(run: () => Promise<void>): Promise<void> {
  const { db } = app.context;
  await sql`alter table posts rename to posts_away`.execute(db);
  try {
    await run();
  } finally {
    await sql`alter table posts_away rename to posts`.execute(db);
  }
}

/** As a change of the post would. */
const changePost = (id: string) =>
  inQuietTransaction(app.context.db, (trx) =>
    insertChanges(trx, [
      { project_id: app.tenant.projectId, subject: 'post', subject_id: id, kind: 'updated' },
    ]),
  );

describe.each([
  ['WebSocket', (options: SubscribeOptions) => Promise.resolve(subscribeOverSocket(options))],
  ['SSE', subscribeOverSse],
] as const)('a stream over %s', (_, subscribe) => {
  const resume = (cursor: string) =>
    subscribe({ url: app.url, key: app.tenant.key, query, variables: { after: cursor } });

  test('resumes with the message of a post that could not be read', async () => {
    const [early, late] = [await createDraft('early'), await createDraft('late')];
    await using stream = await resume(await readCursor());
    await changePost(early);
    await stream.waitFor(1);
    await withoutPosts(async () => {
      await changePost(late);
      await stream.until(({ errors }) => errors);
    });
    const [last, failed] = stream.messages.slice(-2);
    expect(last.data.postUpdated.postId).toBe(early);
    expect(failed).toMatchObject({
      data: { postUpdated: null },
      errors: [{ extensions: { code: 'internal', cursor: last.data.postUpdated.cursor } }],
    });
    await using resumed = await resume(failed.errors[0].extensions.cursor);
    const [first] = await resumed.waitFor(1);
    expect(first.data.postUpdated).toMatchObject({ postId: late, post: { id: late } });
  });

  test('resumes from its beginning if it breaks before its first message', async () => {
    const id = await createDraft('first');
    const cursor = await readCursor();
    await changePost(id);
    await withoutPosts(async () => {
      await using stream = await resume(cursor);
      const [failed] = await stream.until(({ errors }) => errors);
      expect(failed.errors[0].extensions.cursor).toBe(cursor);
    });
    await using resumed = await resume(cursor);
    const [first] = await resumed.waitFor(1);
    expect(first.data.postUpdated.postId).toBe(id);
  });
});
