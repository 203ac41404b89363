// The live feed, with or without an app around it. Tests write changes into the feed and read them from it.
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { vi } from 'vitest';
import { createFeed, type Feed, type FeedOptions } from '../../../api/live/feed.ts';
import type { FeedItem } from '../../../api/live/recent.ts';
import type { FeedStream } from '../../../api/live/subscriber.ts';
import type { NewChange, ChangeFilter } from '../../../schema/database/live/changes.ts';
import { connectDatabase, type DatabaseConnection } from '../../../schema/database/connect.ts';
import type { Db, Transaction } from '../../../schema/database/tables.ts';
import { createNotifier } from '../../../schema/database/notifier.ts';
import { createListener, type Listener } from '../../../schema/database/live/listen.ts';
import type { TestApp } from '../app/app.ts';
import { forFile } from '../fixtures.ts';
import { useDatabase } from '../rows/database.ts';
import { inQuietTransaction } from '../rows/quiet-transaction.ts';
import { countAnswers } from '../rows/statements.ts';

export function createTestFeed(
  db: Db,
  listener: Listener,
  options: Partial<Pick<FeedOptions, 'maxStreamsPerProject' | 'bookmarkEveryMs' | 'awayMs'>> = {},
): Feed {
  return createFeed({
    db,
    listener,
    log: pino({ level: 'silent' }),
    maxStreamsPerProject: 1_000,
    bookmarkEveryMs: 3_600_000,
    awayMs: 4_000,
    ...options,
  });
}

/** A feed on the test file's own database, and writers into that database. */
export function useFeed() {
  const database = useDatabase();
  const writers = forFile(
    () => createWriters(database.url),
    (made) => made.close(),
  );
  const listener = forFile(
    () => createListener(database.url),
    (made) => made.close(),
  );
  let countReads = () => 0;
  const feed = forFile(
    () => {
      const { db, count } = countAnswers(database.db);
      countReads = count;
      return createTestFeed(db, listener);
    },
    (made) => made.close(),
  );

  /**
   * Resolves once the feed keeps no changes in memory. While no stream is open, the feed only reads its head.
   * Waits for two reads, because the first read may have begun before the call.
   */
  async function waitUntilIdle(): Promise<void> {
    const before = countReads();
    const hasReadTwice = async () => {
      await writers.commit('prj_idle', ['post_idle']);
      return countReads() > before + 1;
    };
    await vi.waitUntil(hasReadTwice, { timeout: 10_000 });
  }

  return { database, writers, listener, feed, waitUntilIdle };
}

export function changesOfPosts(projectId: string, subjectId?: string): ChangeFilter {
  return { projectId, subject: 'post', subjectId };
}

/** Reads `count` items, or fewer if the stream ends. */
export async function take(stream: FeedStream, count: number): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  while (items.length < count) {
    const next = await stream.next();
    if (next.done) break;
    items.push(next.value);
  }
  return items;
}

export const subjectIds = (items: FeedItem[]) => items.map((item) => item.change!.subject_id);

export interface Writers {
  readonly connection: DatabaseConnection;
  /** Runs one transaction that writes changes of posts and commits after a while. */
  commit(projectId: string, postIds: string[], holdMs?: number): Promise<void>;
  /** Runs a transaction that has written something and stays open until it is committed. */
  hold(work: (trx: Transaction) => Promise<void>): Promise<{ commit(): Promise<void> }>;
  close(): Promise<void>;
}

export function createWriters(url: string): Writers {
  const connection = connectDatabase({
    url,
    maxConnections: 12,
    applicationName: 'writers',
    // A transaction may take long on a busy machine.
    transactionTimeoutS: 0,
  });
  const notifier = createNotifier(url);

  async function hold(work: (trx: Transaction) => Promise<void>) {
    const written = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const done = inQuietTransaction(connection.db, async (trx) => {
      await work(trx);
      written.resolve();
      await released.promise;
    });
    done.catch(written.reject);
    await written.promise;
    return {
      async commit() {
        released.resolve();
        await done;
        notifier.notify('fanfare_changes');
      },
    };
  }

  return {
    connection,
    hold,
    async commit(projectId, postIds, holdMs = 0) {
      const held = await hold((trx) => writePostChanges(trx, projectId, postIds));
      if (holdMs > 0) await sleep(holdMs);
      await held.commit();
    },
    async close() {
      await Promise.all([notifier.close(), connection.close()]);
    },
  };
}

/** Adds changes of any kind, so that tests can distinguish them. */
export async function writeChanges(
  db: Db,
  changes: (Omit<NewChange, 'actor' | 'kind'> & { kind: string })[],
): Promise<void> {
  await db.insertInto('changes').values(changes).execute();
}

export async function writePostChanges(
  db: Db,
  projectId: string,
  postIds: string[],
): Promise<void> {
  for (const subject_id of postIds) {
    await writeChanges(db, [
      { project_id: projectId, subject: 'post', subject_id, kind: 'created' },
    ]);
  }
}

/**
 * Adds changes of a post of the app's own tenant, but changes nothing else. So a test can add many changes
 * cheaply.
 */
export async function addPostChanges(
  { context, tenant }: TestApp,
  postId: string,
  kinds: string[],
): Promise<void> {
  const { projectId: project_id } = tenant;
  await writeChanges(
    context.db,
    kinds.map((kind) => ({ project_id, subject: 'post', subject_id: postId, kind })),
  );
  context.notifier.notify('fanfare_changes');
}

/** Creates a post with very big messages. If a client doesn't read them, its buffer is soon full. */
export async function createBigPost({ tenant }: TestApp): Promise<string> {
  const account = await tenant.connectSandbox('big');
  const post = await tenant.createPost({
    caption: 'x'.repeat(280),
    account_ids: [account.id],
    metadata: Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`key${i}`, 'y'.repeat(500)]),
    ),
    status: 'draft',
  });
  return post.id;
}

/** Adds more changes, by default, than fit into the buffers of the connection and of the stream. */
export async function overflow(app: TestApp, postId: string, count = 4_000): Promise<string[]> {
  const kinds = Array.from({ length: count }, (_, i) => `test.${i}`);
  for (let i = 0; i < kinds.length; i += 500) {
    await addPostChanges(app, postId, kinds.slice(i, i + 500));
    await sleep(50);
  }
  await sleep(1_000);
  return kinds;
}
