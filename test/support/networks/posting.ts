// Writes a post to a simulated network, advances it to its end, cancels it, and reads it back.
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createCallPlaces } from '../../../activities/call-places.ts';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import { heartbeatsOfTargets } from '../../../schema/database/posts/call-heartbeats.ts';
import { createCallHeartbeats } from '../../../activities/publishing/call-ownership.ts';
import { createGroupedReads } from '../../../activities/publishing/grouped-reads.ts';
import { createGroupedWrites } from '../../../activities/publishing/grouped-writes.ts';
import { createPendingRefreshes } from '../../../activities/logins/pending-refreshes.ts';
import { stopTargets } from '../../../activities/publishing/conclude-post.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import type { TargetMedia } from '../../../activities/platforms/platform.ts';
import { putApp } from '../../../schema/database/accounts/apps.ts';
import type { Db, MediaItem, PostResultRow } from '../../../schema/database/tables.ts';
import { lockPostWithResults } from '../../../schema/database/posts/changes.ts';
import { insertPost } from '../../../schema/database/posts/insert-post.ts';
import { newId } from '../../../schema/wire/ids.ts';
import type { TargetClock } from '../../../schema/retry.ts';
import { addGrant } from '../rows/grants.ts';
import { addProject, rowsVault } from '../rows/rows.ts';
import type { SimulatedNetwork } from './network.ts';
import { addImage } from '../rows/media.ts';
import { inQuietTransaction } from '../rows/quiet-transaction.ts';

export const run = 1;
const month = '2026-01';

/** A clock with which a target outlasts a short failure, but soon gives up on a lasting failure. */
export const shortClock: TargetClock = {
  unavailableDelaysMs: [1, 2],
  rateLimitedForMs: 10_000,
  quotaDelayMs: 10,
  quotaForMs: 10_000,
  rateLimitedDelayMs: 100,
  rateLimitedFirstMs: 1,
  rateLimitedMaxMs: 20,
  prepareForMs: 10_000,
  confirmFirstMs: 1,
  confirmMaxMs: 20,
  confirmForMs: 10_000,
  reconcileDelaysMs: [0, 2, 4],
  heartbeatMs: 2_000,
  lostAfterMs: 6_000,
};
export const impatientClock: TargetClock = {
  ...shortClock,
  rateLimitedForMs: 250,
  quotaForMs: 250,
  confirmForMs: 1_500,
};

export function dependenciesOf(
  db: Db,
  { platform, media = [] }: Pick<SimulatedNetwork, 'platform' | 'media'>,
  clock = shortClock,
): AdvanceDependencies {
  const notifier = { notify: () => undefined, close: () => Promise.resolve() };
  return {
    db,
    vault: rowsVault,
    notifier,
    platforms: createPlatforms([platform]),
    clock,
    heartbeats: createCallHeartbeats(heartbeatsOfTargets(db), clock),
    reads: createGroupedReads(db),
    writes: createGroupedWrites({ db, notifier, previewEvents: false }),
    places: createCallPlaces(100),
    refreshes: createPendingRefreshes(pino({ level: 'silent' })),
    now: Date.now,
    previewEvents: false,
    log: pino({ level: 'silent' }),
    loadMedia: ({ kind }) => Promise.resolve(kind === 'comment' ? [] : media),
  };
}

/** `thread`: two targets, the second in reply to the first. `commented`: a target and its first comment. */
export type Shape = 'single' | 'thread' | 'commented';

export interface TestPost {
  projectId: string;
  postId: string;
  accountId: string;
  workflowId: string;
  resultIds: string[];
}

export async function writePost(
  db: Db,
  network: SimulatedNetwork,
  shape: Shape = 'single',
): Promise<TestPost> {
  const projectId = await addProject(db);
  const accountId = await addAccount(db, projectId, network);
  const postId = newId('post');
  const media = await Promise.all(
    (network.media ?? []).map((file) => insertItem(db, projectId, file)),
  );
  const workflowId = `post/${postId}/1`;
  const resultIds = shape === 'single' ? [newId('result')] : [newId('result'), newId('result')];
  const results = resultIds.map((id, position) => {
    const isComment = shape === 'commented' && position === 1;
    return {
      id,
      post_id: postId,
      project_id: projectId,
      position,
      social_account_id: accountId,
      platform: network.platform.definition.name,
      account_name: network.connection.accountName,
      // Each caption is unique at the network.
      caption: `hello ${id}`,
      kind: isComment ? ('comment' as const) : ('post' as const),
      ...(isComment && { media: [] }),
      ...(network.options && { platform_options: network.options }),
      answers_result_id: resultIds[position - 1] ?? null,
      thread_position: shape === 'thread' ? position : null,
      usage_month: isComment ? null : month,
      status: 'pending' as const,
      phase: 'prepare' as const,
      phase_state: 'ready' as const,
    };
  });
  await inQuietTransaction(db, async (trx) => {
    const post = {
      id: postId,
      project_id: projectId,
      caption: 'hello',
      media,
      status: 'pending' as const,
      created_at: new Date(),
    };
    await insertPost(trx, { ...post, current_run: run, workflow_id: workflowId }, results);
  });
  return { projectId, postId, accountId, workflowId, resultIds };
}

/** Adds the file as usable media. The network gets the file itself, without a store. */
async function insertItem(db: Db, projectId: string, file: TargetMedia): Promise<MediaItem> {
  const { url, altText: alt_text } = file;
  const id = await addImage(db, projectId);
  return { id, url, alt_text, thumbnail_id: null, thumbnail_at_ms: null };
}

export async function addAccount(
  db: Db,
  projectId: string,
  {
    platform,
    connection,
    app,
    options = {},
  }: Pick<SimulatedNetwork, 'platform' | 'connection' | 'app' | 'options'>,
): Promise<string> {
  const id = newId('account');
  const { credentials } = connection;
  const { name } = platform.definition;
  const appId = app
    ? (await putApp(db, projectId, rowsVault, { ...app, platform: name })).id
    : null;
  const grantId = await addGrant(db, { projectId, platform: name, credentials, appId });
  await db
    .insertInto('social_accounts')
    .values({
      id,
      project_id: projectId,
      platform: name,
      account_name: connection.accountName,
      external_account_id: connection.externalAccountId,
      traits: JSON.stringify(connection.traits ?? {}),
      default_options: JSON.stringify(options),
      connection_type: 'byo',
      scope: connection.scope,
      status: 'active',
      grant_id: grantId,
    })
    .execute();
  return id;
}

/** Advances as the workflow does, without its timers. */
export async function advanceToEnd(
  dependencies: AdvanceDependencies,
  resultId: string,
): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const { waitMs } = await advanceTarget(dependencies, { resultId, run });
    if (waitMs === null) return;
    await sleep(waitMs);
  }
  throw new Error('The target does not end.');
}

/** Cancels as the API does. Returns the ids of the results that the cancellation stopped. */
export function cancel(
  db: Db,
  { projectId, postId }: Pick<TestPost, 'projectId' | 'postId'>,
): Promise<string[]> {
  const scope = { projectId, environment: 'production' } as const;
  return inQuietTransaction(db, async (trx) => {
    const { post } = await lockPostWithResults(trx, scope, postId);
    return stopTargets(trx, post, { previewEvents: false });
  });
}

export async function disconnect(db: Db, accountId: string): Promise<void> {
  await db
    .updateTable('social_accounts')
    .set({ status: 'disconnected', grant_id: null })
    .where('id', '=', accountId)
    .execute();
}

export function listTargets(db: Db, { postId }: TestPost): Promise<PostResultRow[]> {
  return db
    .selectFrom('post_results')
    .selectAll()
    .where('post_id', '=', postId)
    .orderBy('position')
    .execute();
}

export function listOutcomeEvents(db: Db, { postId }: TestPost) {
  return db.selectFrom('events').selectAll().where('post_id', '=', postId).execute();
}
