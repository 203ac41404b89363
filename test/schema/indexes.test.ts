// Every query on a table that grows is served by an index: asked of Postgres over many rows.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../schema/database/connect.ts';
import { listActivityFailures } from '../../schema/database/dispatch/activity-failures.ts';
import {
  addUsage,
  giveBackUsage,
  listUsage,
  moveUsage,
} from '../../schema/database/accounts/usage.ts';
import {
  hasActiveSandboxAccount,
  listAccountRows,
  listAccountsById,
  listHealth,
  lockAccountsOfUser,
} from '../../schema/database/accounts/accounts.ts';
import {
  deleteApps,
  deleteReplacedApps,
  findAppByInboundKey,
  findAppFor,
  listProjectApps,
  lockProjectApps,
  putApp,
} from '../../schema/database/accounts/apps.ts';
import {
  findChoiceList,
  listChoiceRows,
  replaceChoices,
} from '../../schema/database/accounts/choices.ts';
import {
  findCheckOfAccount,
  findRunningCheck,
  getCheckRow,
  isCheckRunning,
  listChecksById,
  listOverdueChecks,
  restartCheck,
  setCheck,
} from '../../schema/database/accounts/checks.ts';
import {
  claimDueGrants,
  deleteEmptyGrant,
  listGrantsOfAccounts,
  listLiveGrants,
  claimExpiryWarnings,
  postponeCheck,
} from '../../schema/database/accounts/grants.ts';
import {
  deleteRevocation,
  insertRevocation,
  listRevocations,
} from '../../schema/database/accounts/revocations.ts';
import {
  releaseRefreshLease,
  acquireRefreshLease,
} from '../../schema/database/accounts/credentials.ts';
import { findUsableApiKey, listApiKeys, listApiKeysById } from '../../schema/database/api-keys.ts';
import {
  eraseConnectSessions,
  listConnectSessionsById,
  lockSessionsOfUser,
} from '../../schema/database/accounts/connect-sessions.ts';
import {
  addDataDeletion,
  endDataDeletions,
  findDataDeletion,
} from '../../schema/database/accounts/data-deletions.ts';
import {
  listGrantsOfNetworkUser,
  listOwnersOfNetworkUser,
  lockAccountsOfNetworkUser,
  setAccountsDue,
} from '../../schema/database/accounts/network-users.ts';
import {
  eraseAccounts,
  eraseBatch,
  findAccountToErase,
} from '../../schema/database/dispatch/erasure.ts';
import { deleteChanges, isDeletionKept, readChanges } from '../../schema/database/live/changes.ts';
import { concludeMedia } from '../../schema/database/media/complete.ts';
import {
  countFailedFetch,
  failMedia,
  hurryFetches,
  listWaitingFetches,
  refetchMedia,
  restartFetch,
} from '../../schema/database/media/fetching.ts';
import {
  deleteUnusedMedia,
  listMediaToEmpty,
  removeEmptiedMedia,
  setEmptied,
} from '../../schema/database/media/pruning.ts';
import { findRendition, insertRendition } from '../../schema/database/media/renditions.ts';
import {
  findMedia,
  findUpload,
  getMediaRow,
  listMediaById,
  listMediaByIds,
  listMediaRows,
  lockMedia,
  markDeleted,
  renewUpload,
  sumReceivedBytes,
} from '../../schema/database/media/rows.ts';
import {
  addSegment,
  claimWriter,
  listSegments,
  releaseWriter,
  removeSegments,
  renewWriter,
  rewindMedia,
} from '../../schema/database/media/segments.ts';
import {
  attachMedia,
  detachOtherMedia,
  findUnfinishedPost,
} from '../../schema/database/media/uses.ts';
import { firstZonedPost, listZonedPosts } from '../../schema/database/dispatch/zoned-posts.ts';
import { failScheduledTargets } from '../../schema/database/posts/fail-scheduled.ts';
import { loadAccess } from '../../activities/logins/credentials.ts';
import { endGrants } from '../../activities/logins/end-grants.ts';
import type { Db } from '../../schema/database/tables.ts';
import {
  countDeliveriesByDay,
  findDelivery,
  listAllDeliveries,
  listDeliveriesById,
  listDeliveryAttempts,
  listDeliveryPages,
} from '../../schema/database/webhooks/deliveries.ts';
import {
  countWaitingTargets,
  listLateTargets,
} from '../../schema/database/dispatch/late-targets.ts';
import {
  listStuckDeliveries,
  listStuckPosts,
  readDeliveryBacklog,
} from '../../schema/database/dispatch/stuck.ts';
import { insertAttempts } from '../../schema/database/webhooks/delivery-attempts.ts';
import { listUnfinished } from '../../schema/database/webhooks/due-deliveries.ts';
import { recordEvent, recordTestEvent } from '../../schema/database/events/record.ts';
import {
  findManualDelivery,
  insertManualAttempt,
} from '../../schema/database/webhooks/manual-attempts.ts';
import { claimBatch, claimOutbox, groupPosts } from '../../schema/database/dispatch/claims.ts';
import { listPostAttempts } from '../../schema/database/posts/attempts.ts';
import { findPublicMedia } from '../../schema/database/posts/public-media.ts';
import { findSameContent } from '../../schema/database/posts/same-content.ts';
import {
  cancelResults,
  lockPostsAfterResults,
  lockPostWithResults,
} from '../../schema/database/posts/changes.ts';
import {
  getPostRow,
  listPostIdsOfResults,
  listPostsById,
  listResults,
} from '../../schema/database/posts/posts.ts';
import { countPostsByDay, listLabelRows } from '../../schema/database/posts/listing/counts.ts';
import { countPostRows, listPostRows } from '../../schema/database/posts/listing/pages.ts';
import {
  deleteEnded,
  deleteEvents,
  deleteExpiredFlows,
} from '../../schema/database/dispatch/pruning.ts';
import {
  listEventPages,
  listEventRows,
  listEventsById,
} from '../../schema/database/events/list.ts';
import { listResumablePosts } from '../../schema/database/dispatch/resuming.ts';
import {
  beginChange,
  findChangingTarget,
  findPublicReply,
  listOverdueChanges,
  restartChange,
} from '../../schema/database/posts/after-publishing/result-changes.ts';
import {
  heartbeatsOfChanges,
  heartbeatsOfTargets,
} from '../../schema/database/posts/call-heartbeats.ts';
import { findTarget, setPaused } from '../../schema/database/posts/targets.ts';
import {
  insertMissingDeliveries,
  reopenDeliveries,
} from '../../schema/database/webhooks/reopen-deliveries.ts';
import { countMatches, readWindow } from '../../schema/database/webhooks/replay-matches.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import {
  countOutcomesOf,
  countUnattempted,
  findRunningReplay,
  getReplayRow,
  listReplayPages,
  listReplaysById,
  lockRunningReplay,
} from '../../schema/database/webhooks/replays.ts';
import {
  listOverdueBatches,
  listOverduePosts,
  listRunningReplays,
  releaseBatch,
  restartPost,
} from '../../schema/database/dispatch/sweeping.ts';
import { claimRuns, listOpenTargets } from '../../schema/database/posts/runs.ts';
import { listRestoredPosts } from '../../schema/database/dispatch/restores.ts';
import {
  concludeUnsent,
  concludeWaiting,
} from '../../schema/database/webhooks/waiting-deliveries.ts';
import { disableFailedWebhook } from '../../schema/database/webhooks/health.ts';
import { checkVault } from '../../schema/database/vault-check.ts';
import {
  getWebhookRow,
  listWebhookRows,
  listWebhooksById,
} from '../../schema/database/webhooks/webhooks.ts';
import { attempt } from '../support/rows/attempts.ts';
import { addCheck } from '../support/rows/checks.ts';
import { createTestDatabase, type TestDatabase } from '../support/rows/database.ts';
import { erasureOptions } from '../support/rows/erasures.ts';
import {
  deleteQueueRow,
  listQueueRows,
  listQueuesById,
  listQueuesOfAccounts,
  lockQueue,
} from '../../schema/database/queues/queues.ts';
import {
  findFreeSlot,
  findLastSlot,
  freeSlot,
  listTakenSlots,
  moveSlots,
  takeFreeSlot,
} from '../../schema/database/queues/slots.ts';
import { setRescheduled } from '../../schema/database/queues/rescheduled-posts.ts';
import { createExplainer, type Explainer } from '../support/rows/explain.ts';
import { findKey } from '../../schema/database/idempotency-keys.ts';
import { addPostOf } from '../support/rows/counted-results.ts';
import { anyTimings, rowsVault } from '../support/rows/rows.ts';
import { inQuietTransaction, quietNotifier } from '../support/rows/quiet-transaction.ts';

/** Small by nature: read from end to end at will. */
const smallTables = /^(feed_epoch|sweeps|outbox|restores|revocations|sending_pauses|vault_keys):/;

let database: TestDatabase;
let explainer: Explainer;

beforeAll(async () => {
  database = await createTestDatabase();
  await fillWithoutLimit(database.url);
  explainer = createExplainer(database.url);
});
afterAll(async () => {
  await explainer?.close();
  await database?.drop();
});

/** Fails with the queries that read a whole table. */
async function expectIndexed(work: (db: Db) => Promise<unknown>, title = ''): Promise<void> {
  const found = await explainer.findFullScans(work);
  const advice = `${title} Add an index in schema/database/migrations/0001-initial.ts.`.trim();
  expect(
    found.filter((line) => !smallTables.test(line)),
    advice,
  ).toEqual([]);
}

const project = 'prj_7';
const scope: RowScope = { projectId: project, environment: 'production' };
const scopes: RowScope[] = [scope, { ...scope, environment: 'test' }];
type Read = (db: Db, scope: RowScope) => Promise<unknown>;
const page = { limit: 26, before: undefined };
const timed = { time: new Date(), id: 'post_7' };
const untimed = { time: null, id: 'post_7' };
const nextPage = { limit: 26, before: 'zzz' };
const since = '2026-01-01T00:00:00Z';

const manualExchange = {
  started_at: new Date(),
  ended_at: new Date(),
  timings: anyTimings,
  remote_address: null,
  status_code: 200,
  error_code: null,
  request_headers: {},
  response_headers: null,
  response_body: null,
};

describe('lists', () => {
  const lists: Record<string, Read> = {
    posts: (db, scope) => listPostRows(db, scope, {}, page),
    'posts, next page': (db, scope) => listPostRows(db, scope, {}, { limit: 26, after: untimed }),
    'posts by status': (db, scope) => listPostRows(db, scope, { status: ['failed'] }, page),
    'posts by time': (db, scope) => listPostRows(db, scope, { from: since, to: since }, page),
    'posts by platform': (db, scope) => listPostRows(db, scope, { platform: 'sandbox' }, page),
    'posts by account': (db, scope) => listPostRows(db, scope, { social_account_id: 'sa_7' }, page),
    'posts by user': (db, scope) => listPostRows(db, scope, { external_user_id: 'user_7' }, page),
    'posts by statuses': (db, scope) =>
      listPostRows(db, scope, { status: ['failed', 'scheduled'] }, page),
    'posts by label': (db, scope) => listPostRows(db, scope, { label: ['label-7'] }, page),
    'posts by metadata': (db, scope) =>
      listPostRows(db, scope, { metadata: { campaign: 'c7' } }, page),
    'posts by words': (db, scope) => listPostRows(db, scope, { q: 'word7 cap' }, page),
    'posts by words, with a total': (db, scope) => countPostRows(db, scope, { q: 'word7' }, 10_001),
    'posts by schedule': (db, scope) =>
      listPostRows(db, scope, {}, { limit: 26, order: 'scheduled_at' }),
    'posts by schedule, next page': (db, scope) =>
      listPostRows(db, scope, {}, { limit: 26, order: '-scheduled_at', after: timed }),
    'posts of an interval': (db, scope) =>
      listPostRows(
        db,
        scope,
        { scheduled_from: since, scheduled_to: since },
        { limit: 26, order: 'scheduled_at' },
      ),
    'posts by publication': (db, scope) =>
      listPostRows(db, scope, { published_from: since }, { limit: 26, order: '-published_at' }),
    'posts by publication, those that were not published': (db, scope) =>
      listPostRows(db, scope, {}, { limit: 26, order: '-published_at', after: untimed }),
    'posts with a total': (db, scope) =>
      countPostRows(db, scope, { scheduled_from: since }, 10_001),
    'numbers of posts by day': (db, scope) =>
      countPostsByDay(db, scope, { starts: [new Date(since)], from: since, to: since }),
    'labels of posts': (db, scope) => listLabelRows(db, scope, { limit: 26, after: 'a' }),
    'results of posts': (db) => listResults(db, project, ['post_7', 'post_57']),
    accounts: (db, scope) => listAccountRows(db, scope, {}, page),
    'accounts that a post names': (db, scope) => listAccountsById(db, scope, ['sa_7', 'sa_57']),
    'accounts by user': (db, scope) =>
      listAccountRows(db, scope, { external_user_id: 'user_7' }, nextPage),
    media: (db, scope) => listMediaRows(db, scope, {}, page),
    'media by status, next page': (db, scope) =>
      listMediaRows(db, scope, { status: 'attached' }, nextPage),
    'accounts whose logins end soon': (db, scope) =>
      listAccountRows(db, scope, { status: 'expiring' }, page),
    'apps of a project': (db, scope) => listProjectApps(db, scope),
    'choices of an account': async (db) => {
      const key = { accountId: 'sa_7', kind: 'board' };
      await findChoiceList(db, project, key);
      const slice = { limit: 26, after: 0 };
      await listChoiceRows(db, project, key, { q: 'a', parent_id: 'b' }, slice);
      const list = { choices: [], isComplete: true };
      expect(await inQuietTransaction(db, (trx) => replaceChoices(trx, project, key, list))).toBe(
        true,
      );
    },
    'accounts and connect sessions of a user to erase': (db, scope) =>
      inQuietTransaction(db, async (trx) => {
        await lockAccountsOfUser(trx, scope, 'user_7', 20);
        await eraseConnectSessions(trx, await lockSessionsOfUser(trx, scope, 'user_7', 100));
      }),
    'api keys': (db, scope) => listApiKeys(db, scope, page),
    queues: (db, scope) => listQueueRows(db, scope, page),
    'queues, next page': (db, scope) => listQueueRows(db, scope, nextPage),
    'other queues of accounts': (db, scope) =>
      listQueuesOfAccounts(db, scope, { accountIds: ['sa_7', 'sa_57'], except: 'que_7' }),
    'taken slots of a queue': async (db) => {
      await listTakenSlots(db, 'que_7', { from: new Date() });
      await findLastSlot(db, 'que_7');
      await findFreeSlot(db, 'que_7', [new Date()]);
    },
    webhooks: (db, scope) => listWebhookRows(db, scope, page),
    'deliveries to all webhooks': (db, scope) => listAllDeliveries(db, scope, {}, page),
    'numbers of deliveries by day': (db, scope) =>
      countDeliveriesByDay(db, scope, { starts: [new Date(since)], from: since, to: since }),
    'deliveries to all webhooks by status and time, next page': (db, scope) =>
      listAllDeliveries(db, scope, { status: 'failed', since }, nextPage),
    deliveries: (db, scope) => listDeliveryPages(db, scope, 'webhook', ['wh_7'], {}, page),
    'deliveries, next page': (db, scope) =>
      listDeliveryPages(db, scope, 'webhook', ['wh_7'], {}, nextPage),
    'deliveries by status': (db, scope) =>
      listDeliveryPages(db, scope, 'webhook', ['wh_7'], { status: 'failed', since }, page),
    'deliveries by kind': (db, scope) =>
      listDeliveryPages(
        db,
        scope,
        'webhook',
        ['wh_7'],
        { event: 'post.failed', until: since },
        page,
      ),
    "a target's calls": (db) =>
      listPostAttempts(db, project, ['res_7', 'res_57'], { limit: 25, before: 9 }),
    events: (db, scope) => listEventRows(db, scope, { test: false }, page),
    'test events': (db, scope) => listEventRows(db, scope, { test: true }, page),
    'events by kind and time': (db, scope) =>
      listEventRows(db, scope, { test: false, event: 'post.failed', since, until: since }, page),
  };
  for (const [name, list] of Object.entries(lists)) {
    test(`${name} are found by an index`, async () => {
      for (const scope of scopes) {
        await expectIndexed((db) => list(db, scope), scope.environment);
      }
    });
  }
});

describe('the batched reads of GraphQL', () => {
  const reads: Record<string, Read> = {
    'posts with their results': (db) => listPostsById(db, scope, ['post_7', 'post_57']),
    'the posts of results': (db) => listPostIdsOfResults(db, project, ['res_7', 'res_57']),
    accounts: (db) => listAccountsById(db, scope, ['sa_7', 'sa_57']),
    'their health': (db, scope) => listHealth(db, scope, ['sa_7', 'sa_57']),
    'their usage': (db) => listUsage(db, project, ['sa_7', 'sa_57'], '2026-01'),
    'API keys': (db, scope) => listApiKeysById(db, scope, ['key_7', 'key_57']),
    media: (db, scope) => listMediaById(db, scope, ['med_7', 'med_57']),
    'connect sessions': (db, scope) => listConnectSessionsById(db, scope, ['cs_7', 'cs_57']),
    webhooks: (db, scope) => listWebhooksById(db, scope, ['wh_7', 'wh_57']),
    queues: (db, scope) => listQueuesById(db, scope, ['que_7', 'que_57']),
    events: (db, scope) => listEventsById(db, scope, ['evt_7', 'evt_57']),
    deliveries: (db) => listDeliveriesById(db, scope, ['dlv_7', 'dlv_57']),
    'their attempts': (db) => listDeliveryAttempts(db, project, ['dlv_7', 'dlv_57']),
    'events of posts': (db, scope) =>
      listEventPages(db, scope, 'post_id', ['post_7', 'post_57'], page),
    'events of accounts': (db, scope) =>
      listEventPages(db, scope, 'social_account_id', ['sa_7', 'sa_57'], nextPage),
    'deliveries of posts': (db, scope) =>
      listDeliveryPages(db, scope, 'post', ['post_7', 'post_57'], {}, page),
    'deliveries of posts by status and time': (db, scope) =>
      listDeliveryPages(db, scope, 'post', ['post_7'], { status: 'failed', since }, nextPage),
    'deliveries of events': (db, scope) =>
      listDeliveryPages(db, scope, 'event', ['evt_7', 'evt_57'], {}, nextPage),
    'deliveries of webhooks': (db, scope) =>
      listDeliveryPages(db, scope, 'webhook', ['wh_7', 'wh_57'], {}, page),
    'deliveries of webhooks by kind': (db, scope) =>
      listDeliveryPages(db, scope, 'webhook', ['wh_7'], { event: 'post.failed' }, nextPage),
    'all of a page of posts': async (db, scope) => {
      const numbers = Array.from({ length: 100 }, (_, i) => 7 + 50 * i);
      const ids = numbers.map((number) => `post_${number}`);
      const resultIds = numbers.map((number) => `res_${number}`);
      await listPostsById(db, scope, ids);
      await listPostIdsOfResults(db, project, resultIds);
      await listDeliveryPages(db, scope, 'post', ids, {}, page);
      await listEventPages(db, scope, 'post_id', ids, page);
      await listPostAttempts(db, project, resultIds, page);
      await listDeliveryAttempts(
        db,
        project,
        numbers.map((number) => `dlv_${number}`),
      );
    },
  };
  for (const [name, read] of Object.entries(reads)) {
    test(`finds ${name} by an index`, async () => {
      for (const scope of scopes) {
        await expectIndexed((db) => read(db, scope), scope.environment);
      }
    });
  }
});

describe('single rows', () => {
  const reads: Record<string, Read> = {
    'a post with its results': (db, scope) => getPostRow(db, scope, 'post_7'),
    'a medium': (db, scope) => getMediaRow(db, scope, 'med_7'),
    'a medium to change': (db, scope) =>
      inQuietTransaction(db, (trx) => lockMedia(trx, scope, 'med_7')),
    'the upload of an upload URL': (db) => findUpload(db, 'med_7'),
    'a rendition': (db) => findRendition(db, 'med_7', 'plan'),
    'a webhook with its health': (db, scope) => getWebhookRow(db, scope, 'wh_7'),
    'webhooks with their health': (db) => listWebhooksById(db, scope, ['wh_7', 'wh_57']),
    'a delivery': (db, scope) => findDelivery(db, scope, 'dlv_7'),
    'the delivery to retry': (db) => findManualDelivery(db, 'dlv_7'),
    'a post to change, locked with its results,': (db) =>
      inQuietTransaction(db, (trx) => lockPostWithResults(trx, scope, 'post_7')),
    'the list of targets to cancel': (db) =>
      inQuietTransaction(db, (trx) => cancelResults(trx, project, 'post_7')),
    'a key': (db) => findUsableApiKey(db, Buffer.from('7')),
  };
  for (const [name, read] of Object.entries(reads)) {
    test(`${name} is found by an index`, async () => {
      for (const scope of scopes) {
        await expectIndexed((db) => read(db, scope), scope.environment);
      }
    });
  }
});

describe('the engine', () => {
  test('claims rows of a long outbox by an index', async () => {
    expect(await explainer.findFullScans((db) => claimOutbox(db, 50))).toEqual([]);
  });

  test('groups posts by an index', async () => {
    const group = async (db: Db) => groupPosts(db, await claimOutbox(db, 50));
    expect(await explainer.findFullScans(group)).toEqual([]);
  });

  test('claims the runs of a group, and lists their targets, by an index', async () => {
    const claim = async (db: Db) => {
      await claimRuns(db, quietNotifier, [{ postId: 'post_7', run: 1 }], 'posts/1');
      await listOpenTargets(db, ['post_7']);
    };
    expect(await explainer.findFullScans(claim)).toEqual([]);
  });

  const works: Record<string, (db: Db) => Promise<unknown>> = {
    'claims waiting deliveries': (db) =>
      db.transaction().execute((trx) => claimBatch(trx, { limit: 200 })),
    'claims those of failing webhooks': (db) =>
      claimBatch(db, { limit: 200, isFailing: true, except: ['wh_7'] }),
    'loads a batch': (db) => listUnfinished(db, 'bat_7'),
    'loads a part of a batch': (db) => listUnfinished(db, 'bat_7', ['dlv_7', 'dlv_57']),
    'records attempts': (db) =>
      insertAttempts(db, quietNotifier, [attempt('dlv_7'), attempt('dlv_57')]),
    'ends unsent deliveries': (db) =>
      concludeUnsent(db, quietNotifier, 'bat_7', [{ id: 'dlv_7' }], 'skipped'),
    'records an event': (db) =>
      inQuietTransaction(db, (trx) =>
        recordEvent(
          trx,
          { ...scope, type: 'post.failed', data: {}, postId: 'post_7' },
          { previewEvents: false },
        ),
      ),
    'ends deliveries that wait for a webhook': (db) =>
      inQuietTransaction(db, (trx) => concludeWaiting(trx, 'wh_50', 'canceled')),
    'updates a webhook whose deliveries fail': (db) => {
      const rule = { afterFailures: 5, afterMs: 0 };
      return inQuietTransaction(db, (trx) => disableFailedWebhook(trx, 'wh_9', rule));
    },
    'records a test event': (db) =>
      inQuietTransaction(db, (trx) =>
        recordTestEvent(trx, {
          ...scope,
          webhookId: 'wh_7',
          type: 'post.failed',
          data: {},
        }),
      ),
    'records an attempt beside the schedule': (db) =>
      inQuietTransaction(db, (trx) => insertManualAttempt(trx, 'dlv_7', manualExchange)),
    'takes, moves and frees slots of a queue': (db) =>
      inQuietTransaction(db, async (trx) => {
        await lockQueue(trx, scope, 'que_7');
        await takeFreeSlot(trx, { queueId: 'que_7', postId: 'post_9' }, [new Date(0)]);
        await moveSlots(trx, 'que_7', [{ post_id: 'post_9', at: new Date(1) }]);
        await freeSlot(trx, 'post_9');
        await lockPostsAfterResults(trx, ['post_7', 'post_57']);
        const run = { id: 'post_7', at: new Date(), run: 2, workflow_id: 'w' };
        await setRescheduled(trx, project, [run]);
        await deleteQueueRow(trx, project, 'que_57');
      }),
    'inserts a post and counts its targets': (db) =>
      addPostOf(db, project, ['sa_7', 'sa_57'], '2026-01'),
    'inserts a post with an idempotency key': (db) =>
      addPostOf(db, project, ['sa_7', 'sa_57'], '2026-01', {
        project_id: project,
        key: 'key of a post',
        fingerprint: Buffer.from('a'),
        environment: 'test',
        scopes: [],
        status: 201,
        answer: null,
        answer_key_id: null,
        only_for_key: null,
      }),
    'finds the answer of an idempotency key': (db) =>
      findKey(db, { project_id: project, key: 'key of a post' }),
    'finds the same content': (db) =>
      findSameContent(db, project, [{ accountId: 'sa_7', hash: '\\x00' }]),
    'moves the count of results': (db) =>
      inQuietTransaction(db, (trx) =>
        moveUsage(
          trx,
          project,
          ['res_7', 'res_57'].map((resultId) => ({ resultId, month: '2026-02' })),
          [{ accountId: 'sa_9', month: '2026-01' }],
        ),
      ),
    'gives back the usage of results': (db) =>
      inQuietTransaction(db, (trx) => giveBackUsage(trx, project, ['res_8', 'res_58'])),
    'finds overdue deliveries': (db) => listOverdueBatches(db, 300_000, ''),
    'checks the keys of the vault': (db) => checkVault(db, rowsVault),
    'finds sandbox accounts': (db) => hasActiveSandboxAccount(db),
    'finds open posts after a restore': (db) => listRestoredPosts(db),
    'counts waiting deliveries': (db) => readDeliveryBacklog(db),
    'sets a lost batch free': (db) => releaseBatch(db, quietNotifier, 'bat_9'),
    'sets deliveries of a batch free': (db) =>
      releaseBatch(db, quietNotifier, 'bat_9', ['dlv_950']),
    'finds overdue posts': (db) => listOverduePosts(db, 300_000),
    'finds scheduled posts with a local time': (db) => listZonedPosts(db, firstZonedPost, 500),
    'gives a post a new run': (db) => restartPost(db, quietNotifier, 'post_0', null),
    'renews the heartbeats of calls': (db) =>
      heartbeatsOfTargets(db).renew([
        { id: 'res_7', steps: 1 },
        { id: 'res_1007', steps: 1 },
      ]),
    'begins a change of a result': (db) => beginChange(db, { id: 'chg_7', steps: 0 }),
    'renews the heartbeats of changes': (db) =>
      heartbeatsOfChanges(db).renew([{ id: 'chg_7', steps: 0 }]),
    'reads a change': (db) => findChangingTarget(db, 'chg_100'),
    'finds public replies': (db) => findPublicReply(db, 'res_7'),
    'finds changes without progress': (db) => listOverdueChanges(db, 300_000),
    'restarts a change': (db) => restartChange(db, quietNotifier, 'chg_100', 'w100'),
    'holds a paused target': async (db) => setPaused(db, (await findTarget(db, 'res_1000'))!),
    'loads the credentials of an account': (db) => loadAccess({ db, vault: rowsVault }, 'sa_7'),
    'takes and drops the lease of a refresh': async (db) => {
      await acquireRefreshLease(db, { id: 'grt_7', credential_version: 1 }, 'lease', 1_000);
      await releaseRefreshLease(db, 'grt_7', 'lease');
    },
    'waits for revocations': async (db) => {
      await insertRevocation(db, { id: 'grt_x', project_id: project, platform: 'sandbox' });
      await listRevocations(db, project, 'sandbox');
      await deleteRevocation(db, project, 'grt_x');
    },
    'claims grants that are due for a refresh': (db) =>
      claimDueGrants(db, { limit: 20, except: ['telegram'], claimMs: 1_000 }),
    'claims grants that are due for a check, and postpones one': async (db) => {
      const column = 'check_at';
      await claimDueGrants(db, { limit: 20, except: ['telegram'], claimMs: 1_000, column });
      await postponeCheck(db, { id: 'grt_7', credential_version: 1 }, 1_000);
    },
    'takes the warnings of grants that end soon': (db) =>
      inQuietTransaction(db, (trx) => claimExpiryWarnings(trx, 20)),
    'refreshes, ends and deletes grants': (db) =>
      inQuietTransaction(db, async (trx) => {
        await endGrants(trx, ['grt_7', 'grt_57'], { previewEvents: false });
        await trx
          .updateTable('social_accounts')
          .set({ grant_id: null })
          .where('id', '=', 'sa_7')
          .execute();
        await deleteEmptyGrant(trx, project, 'grt_7');
      }),
    'finds the logins and the accounts of a user whom a network names': async (db) => {
      const app = (await findAppByInboundKey(db, 'key_7'))!;
      const user = { app, userId: 'u7', madeBefore: new Date() };
      expect(await listGrantsOfNetworkUser(db, user)).toHaveLength(0);
      expect(await listOwnersOfNetworkUser(db, user)).toHaveLength(1);
      await inQuietTransaction(db, (trx) => lockAccountsOfNetworkUser(trx, project, user, 20));
      expect(await inQuietTransaction(db, (trx) => setAccountsDue(trx, user))).toHaveLength(1);
      await listOwnersOfNetworkUser(db, { ...user, app: { ...app, project_id: null } });
    },
    'reads, changes and ends data deletions': async (db) => {
      const app = { id: 'app_7', project_id: project };
      await inQuietTransaction(db, (trx) => addDataDeletion(trx, 'code_7', app, ['sa_7']));
      expect(await findDataDeletion(db, 'code_7')).toBeDefined();
      await endDataDeletions(db, 'code_7');
      await endDataDeletions(db);
    },
    'finds the logins that an unused one may equal': (db) =>
      listGrantsOfAccounts(db, project, 'sandbox', ['a7', 'a57']),
    'finds the app of a consent': async (db) => {
      for (const instance of ['', 'one.example']) {
        await findAppFor(db, project, rowsVault, { platform: 'sandbox', instance });
      }
    },
    'puts and deletes apps': (db) =>
      inQuietTransaction(db, async (trx) => {
        const app = { platform: 'sandbox', clientId: 'client_7', clientSecret: null } as const;
        await putApp(trx, null, rowsVault, app);
        await deleteReplacedApps(trx, project, await putApp(trx, project, rowsVault, app));
        const rows = await lockProjectApps(trx, scope, 'sandbox');
        const ids = rows.map(({ id }) => id);
        await listLiveGrants(trx, ids);
        await deleteApps(trx, project, ids);
      }),
    'finds posts that no pause holds any longer': (db) => listResumablePosts(db, ''),
    'reads the failures of workflows': (db) => listActivityFailures(db, ['w7', 'w57']),
    'finds media to fetch whose workflow may be lost': (db) => listWaitingFetches(db, 300_000),
    'starts a fetch again': (db) => restartFetch(db, quietNotifier, 'med_100', 'w100'),
    'counts a failed fetch': (db) => countFailedFetch(db, 'med_200', 'm'),
    'ends a fetch': (db) =>
      inQuietTransaction(db, (trx) => failMedia(trx, 'med_300', 'media_unreachable', 'm')),
    'finds stuck posts': (db) => listStuckPosts(db, 60_000),
    'finds their targets': (db) => listLateTargets(db, ['post_0', 'post_1000']),
    'counts waiting targets': async (db) => expect(await countWaitingTargets(db)).not.toEqual([]),
    'finds stuck deliveries': (db) => listStuckDeliveries(db, 60_000),
  };
  for (const [name, work] of Object.entries(works)) {
    test(`${name} by an index`, async () => {
      await expectIndexed(work);
    });
  }
});

describe('media', () => {
  const writer = { mediaId: 'med_400', writerId: 'writer_7' };
  const error = { error_code: 'media_unreachable', error_message: 'm' } as const;
  const read = async (db: Db, id: string) => (await findMedia(db, id))!;
  const works: Record<string, (db: Db) => Promise<unknown>> = {
    'are read with their segments': async (db) => {
      await listMediaByIds(db, ['med_7', 'med_57']);
      await listSegments(db, 'med_57');
    },
    'are found for a network that fetches them': (db) =>
      findPublicMedia(db, project, { resultId: 'res_7', mediaId: 'med_7' }),
    'take segments from their writer': async (db) => {
      await claimWriter(db, writer);
      await renewWriter(db, writer);
      await rewindMedia(db, writer, 0);
      await removeSegments(db, writer.mediaId, ['med_400/0']);
      expect(await addSegment(db, writer, { start_byte: 0, bytes: 2, key: 'med_400/1' })).toBe(
        true,
      );
      await releaseWriter(db, writer);
    },
    'get their outcome': (db) =>
      inQuietTransaction(db, async (trx) => {
        const { id, received_bytes } = await read(trx, 'med_500');
        const outcome = { status: 'failed', ...error } as const;
        const concluded = await concludeMedia(trx, { id, received_bytes }, outcome, undefined);
        expect(concluded?.status).toBe('failed');
      }),
    'fail the targets of scheduled posts': (db) =>
      inQuietTransaction(db, async (trx) => {
        await failScheduledTargets(trx, { ...(await read(trx, 'med_1001')), ...error });
      }),
    'are attached to a post and detached': (db) =>
      inQuietTransaction(db, async (trx) => {
        await attachMedia(trx, 'post_57', ['med_57', 'med_107']);
        await detachOtherMedia(trx, 'post_57', ['med_107']);
      }),
    'are fetched earlier': (db) =>
      inQuietTransaction(db, (trx) => hurryFetches(trx, ['med_600', 'med_700'])),
    'are fetched again': (db) =>
      inQuietTransaction(db, async (trx) => {
        await failMedia(trx, 'med_800', error.error_code, error.error_message);
        await refetchMedia(trx, ['med_800', 'med_900']);
      }),
    'get a rendition': async (db) =>
      insertRendition(db, await read(db, 'med_57'), {
        id: 'med_new',
        name: 'other plan',
        bytes: 1,
        sha256: '0'.repeat(64),
        contentType: 'image/png',
        width: 1,
        height: 1,
        segments: [{ start_byte: 0, bytes: 1, key: 'med_new/0' }],
      }),
    'are added up for a project': (db) => sumReceivedBytes(db, project),
    'get another upload URL': (db) =>
      inQuietTransaction(db, (trx) => renewUpload(trx, project, 'med_57', Buffer.from('x'))),
    'are deleted unless a post needs them': (db) =>
      inQuietTransaction(db, async (trx) => {
        await findUnfinishedPost(trx, project, 'med_157');
        await markDeleted(trx, project, 'med_157');
      }),
  };
  for (const [name, work] of Object.entries(works)) {
    test(`${name} by an index`, async () => {
      await expectIndexed(work);
    });
  }
});

describe('checks of accounts', () => {
  const works: Record<string, (db: Db) => Promise<unknown>> = {
    'are read': (db) => getCheckRow(db, scopes[1]!, 'chk_7', 'sa_7'),
    'are read by their ids': (db) => listChecksById(db, scopes[1]!, ['chk_7', 'chk_57']),
    'begin, unless another one is running': async (db) => {
      await addCheck(db, { projectId: project, accountId: 'sa_57' });
      const second = addCheck(db, { projectId: project, accountId: 'sa_57' });
      expect(await second).toBeUndefined();
    },
    'are loaded by their activity': (db) => findRunningCheck(db, 'chk_107'),
    'let a network fetch their image': (db) => isCheckRunning(db, project, 'chk_107'),
    'are named to whom they hold up': (db) => findCheckOfAccount(db, 'sa_107'),
    'are written': async (db) => {
      const check = (await findRunningCheck(db, 'chk_207'))!;
      expect(await setCheck(db, check, { steps: [], status: 'passed' })).toBe(true);
    },
    'are looked for where their workflow may be lost': (db) => listOverdueChecks(db, 300_000),
    'get another workflow': (db) => restartCheck(db, quietNotifier, 'chk_307', 'w307'),
    'count their posts': (db) =>
      inQuietTransaction(db, async (trx) => {
        const usage = { accountId: 'sa_7', month: '2026-01' };
        await addUsage(trx, project, usage, 1);
        await addUsage(trx, project, usage, -1);
      }),
    'are deleted with their account': (db) =>
      inQuietTransaction(db, async (trx) => {
        await eraseAccounts(trx, await lockAccountsOfUser(trx, scopes[1]!, 'user_557', 20));
      }),
  };
  for (const [name, work] of Object.entries(works)) {
    test(`${name} by an index`, async () => {
      await expectIndexed(work);
    });
  }
});

describe('replays', () => {
  const replayId = 'rpl_7';
  const range = {
    project_id: project,
    webhook_id: 'wh_7',
    environment: 'production' as const,
    since: new Date(0),
    until: new Date(),
    statuses: ['failed' as const, 'missing' as const],
    events: ['post.failed' as const],
  };
  const row = (db: Db) => getReplayRow(db, scope, replayId, 'wh_7');
  const works: Record<string, (db: Db) => Promise<unknown>> = {
    'are read': row,
    'are listed': (db) => listReplayPages(db, scope, ['wh_7', 'wh_57'], page),
    'count their matches': (db) => countMatches(db, range),
    'find deliveries of their range': (db) => readWindow(db, range, 'dlv_', 200),
    'find events without a delivery': (db) => readWindow(db, range, 'evt_', 200),
    'reopen deliveries': (db) =>
      inQuietTransaction(db, async (trx) =>
        reopenDeliveries(trx, await row(trx), ['dlv_7', 'dlv_1007']),
      ),
    'make missing deliveries': (db) =>
      inQuietTransaction(db, async (trx) =>
        insertMissingDeliveries(trx, await row(trx), ['evt_7', 'evt_57']),
      ),
    'count how theirs stand': (db) => countOutcomesOf(db, project, [replayId, 'rpl_57']),
    'are read by their ids': (db) => listReplaysById(db, scope, [replayId, 'rpl_57']),
    'count their waiting deliveries': (db) => countUnattempted(db, replayId, 1_000),
    'are locked to be advanced': (db) =>
      inQuietTransaction(db, (trx) => lockRunningReplay(trx, replayId)),
    'are found by the webhook that they run on': (db) => findRunningReplay(db, project, 'wh_7'),
    'are looked for where their workflow may be lost': (db) => listRunningReplays(db, 300_000),
  };
  for (const [name, work] of Object.entries(works)) {
    test(`${name} by an index`, async () => {
      await expectIndexed(work);
    });
  }
});

describe('the live feed', () => {
  const start = { xid: 0n, id: 0n };
  const reads: Record<string, (db: Db) => Promise<unknown>> = {
    'reads on from a cursor': (db) => readChanges(db, start, 100),
    'reads a project from a cursor': (db) =>
      readChanges(db, start, 100, { projectId: project, subject: 'delivery' }),
    'reads one subject from a cursor': (db) =>
      readChanges(db, start, 100, { projectId: project, subject: 'post', subjectId: 'post_7' }),
    'finds a deleted subject': (db) => isDeletionKept(db, scope, 'post', 'post_7'),
    'deletes old changes': (db) => deleteChanges(db, new Date(0)),
  };
  for (const [name, read] of Object.entries(reads)) {
    test(`${name} by an index`, async () => {
      await expectIndexed(read);
    });
  }
});

describe('pruning', () => {
  /** Its id is greater than every id here. */
  const farAway = new Date(2 ** 48 - 1);
  const works: Record<string, (db: Db) => Promise<unknown>> = {
    'old events, deliveries and attempts': (db) =>
      inQuietTransaction(db, (trx) => deleteEvents(trx, farAway, 'evt_')),
    'old changes': (db) => deleteChanges(db, new Date()),
    'old idempotency keys': (db) => deleteEnded(db, 'idempotency_keys', new Date(), 100),
    'old data deletions': (db) => deleteEnded(db, 'data_deletions', new Date(), 100),
    'old failures of activities': (db) => deleteEnded(db, 'activity_failures', new Date(), 100),
    'old sandbox posts': (db) => deleteEnded(db, 'sandbox_posts', new Date(), 100),
    'old sandbox media': (db) => deleteEnded(db, 'sandbox_media', new Date(), 100),
    'old sandbox refusals': (db) => deleteEnded(db, 'sandbox_refusals', new Date(), 100),
    'old sandbox grants': (db) => deleteEnded(db, 'sandbox_grants', new Date(), 100),
    'flows of expired connect sessions': (db) => deleteExpiredFlows(db, new Date(), 100),
    'old lists of choices': (db) => deleteEnded(db, 'choice_lists', new Date(), 20),
    'old connect sessions': (db) => deleteEnded(db, 'connect_sessions', new Date(), 100),
    'old review links': (db) => deleteEnded(db, 'review_links', new Date(), 100),
    'old replays': (db) => deleteEnded(db, 'replays', new Date(), 100),
    'old checks of accounts': (db) => deleteEnded(db, 'account_checks', farAway, 100),
    'unused apps of servers': (db) => deleteEnded(db, 'platform_apps', new Date(), 100),
    'unused media': (db) => {
      const times = { createdBefore: farAway, concludedBefore: new Date() };
      return inQuietTransaction(db, (trx) => deleteUnusedMedia(trx, times, '', 500));
    },
    'deleted media with bytes': async (db) => {
      const [id] = await listMediaToEmpty(db, 20);
      await setEmptied(db, id!);
    },
    'deleted media without bytes': (db) => removeEmptiedMedia(db, '', 500),
    'old posts': (db) => deleteEnded(db, 'posts', farAway, 100),
    'old usage': (db) => deleteEnded(db, 'account_usage', farAway, 100),
    'deleted webhooks': (db) => deleteEnded(db, 'webhook_subscriptions', farAway, 100),
    'ended API keys': (db) => deleteEnded(db, 'api_keys', farAway, 100),
    'what disconnected accounts left behind': async (db) => {
      const first = { accountId: '', resultId: '' };
      const id = (await findAccountToErase(db, first))!;
      const erase = () => inQuietTransaction(db, (trx) => eraseBatch(trx, id, '', erasureOptions));
      // One of them says that the account was ended.
      expect(await erase()).toMatchObject({ events: 2, results: 0 });
      expect(await erase()).toMatchObject({ events: 0, results: 4 });
    },
  };
  for (const [name, work] of Object.entries(works)) {
    test(`finds ${name} by an index`, async () => {
      await expectIndexed(work);
    });
  }
});

/** On a busy machine, a statement for thousands of rows takes longer than a transaction of the program may. */
async function fillWithoutLimit(url: string): Promise<void> {
  const options = { url, maxConnections: 1, applicationName: 'test', transactionTimeoutS: 0 };
  const connection = connectDatabase(options);
  try {
    await fill(connection.db);
  } finally {
    await connection.close();
  }
}

/** Twenty thousand of everything, in fifty of the projects; by SQL, since operations would take minutes. */
async function fill(db: Db): Promise<void> {
  const environment = "case when i % 7 = 0 then 'test' else 'production' end";
  const statements = [
    `insert into projects (id, name) select 'prj_' || i, 'p' from generate_series(0, 999) i`,
    `insert into api_keys (id, project_id, name, hash, prefix, scopes, environment)
      select 'key_' || i, 'prj_' || i % 50, 'k', i::text::bytea, 'fan_', '{}', 'production'
      from generate_series(0, 4999) i`,
    `insert into platform_apps (id, project_id, platform, client_id, inbound_key, instance, created_at)
      select 'app_' || i, 'prj_' || i % 50, 'sandbox', 'client_' || i, 'key_' || i,
        case when i % 20 = 0 then 'https://server' || i else '' end, now() - i * interval '1 min'
      from generate_series(0, 4999) i`,
    `insert into grants (id, project_id, platform, app_id, refresh_at, expiry_warning_at, check_at)
      select 'grt_' || i, 'prj_' || i % 50, 'sandbox', 'app_' || i,
        case when i % 5 = 0 then now() + (i - 500) * interval '1 min' end,
        case when i % 5 = 1 then now() + (i - 500) * interval '1 min' end,
        case when i % 5 = 2 then now() + (i - 500) * interval '1 min' end
      from generate_series(0, 4999) i`,
    `insert into social_accounts (id, project_id, grant_id, platform, account_name,
        external_account_id, external_user_id, connection_type, status, traits, erase_at)
      select 'sa_' || i, 'prj_' || i % 50, 'grt_' || i, 'sandbox', 'a' || i, 'a' || i, 'user_' || i, 'byo', 'active',
        jsonb_build_object('user_id', 'u' || i),
        case when i % 500 = 333 then now() end
      from generate_series(0, 4999) i`,
    `insert into choice_lists (social_account_id, kind, is_complete, fetched_at)
      select 'sa_' || i, 'board', true, now() - i * interval '1 min'
      from generate_series(0, 4999) i`,
    `insert into choices (social_account_id, kind, position, id, name)
      select 'sa_' || i, 'board', position, position, 'a'
      from generate_series(0, 4999) i, generate_series(0, 3) position`,
    `insert into account_checks (id, project_id, social_account_id, platform, status, publishes, steps,
        result_id, workflow_id, progressed_at, ended_at)
      select 'chk_' || i, 'prj_' || i % 50, 'sa_' || i, 'sandbox',
        case when i % 100 = 7 then 'running' else 'passed' end, false, '[]', 'res_' || i, 'w' || i,
        now() - i * interval '1 s', case when i % 100 = 7 then null else now() end
      from generate_series(0, 4999) i`,
    `insert into posts (id, project_id, environment, caption, labels, metadata, status, scheduled_at,
        published_at, run_due_at, progressed_at)
      select 'post_' || i, 'prj_' || i % 50, ${environment}, 'caption word' || i % 1000,
        case when i % 10 = 0 then array['label-' || i % 100] else '{}' end,
        case when i % 10 = 1 then jsonb_build_object('campaign', 'c' || i % 100) else '{}' end,
        case when i % 1000 = 0 then 'pending' when i % 1000 = 1 then 'scheduled'
          when i % 7 = 0 then 'failed' else 'published' end,
        now() + i * interval '1 s', case when i % 7 > 0 then now() - i * interval '1 s' end,
        now() - i * interval '1 s', now() - i * interval '1 s'
      from generate_series(0, 19999) i`,
    `insert into queues (id, project_id, environment, name, timezone, account_ids, slots, is_paused)
      select 'que_' || i, 'prj_' || i % 50, ${environment}, 'q', 'UTC',
        array['sa_' || i, 'sa_' || i + 50], '[]', false
      from generate_series(0, 4999) i`,
    `insert into queue_slots (queue_id, at, post_id)
      select 'que_' || i / 4, now() + i * interval '1 min', 'post_' || i
      from generate_series(10, 19999) i`,
    `insert into media (id, project_id, environment, status, url, workflow_id, is_emptied, updated_at)
      select 'med_' || i, 'prj_' || i % 50, ${environment},
        case when i % 100 = 0 then 'pending' when i % 100 < 3 then 'deleted' else 'attached' end,
        'https://example.com/', 'w' || i, i % 100 = 1, now() - i * interval '1 s'
      from generate_series(0, 19999) i`,
    `insert into media (id, project_id, environment, status, source_media_id, rendition)
      select 'med_fitted_' || i, 'prj_' || i % 50, ${environment}, 'attached', 'med_' || i, 'plan'
      from generate_series(0, 19999) i`,
    `insert into media_segments (media_id, start_byte, bytes, key)
      select 'med_' || i, 0, 1, 'med_' || i || '/0' from generate_series(0, 19999) i`,
    `insert into media_uses (media_id, post_id) select 'med_' || i, 'post_' || i
      from generate_series(0, 19999) i`,
    `insert into restores (restored_at) values (now())`,
    `insert into post_results (id, post_id, project_id, position, social_account_id, platform,
        account_name, content_hash, status, phase, phase_state, is_paused, usage_month)
      select 'res_' || i, 'post_' || i, 'prj_' || i % 50, 0, 'sa_' || i % 5000, 'sandbox', 'a',
        sha256(i::text::bytea),
        case when i % 1000 = 0 then 'pending' else 'published' end, 'commit', 'ready', i % 2000 = 0, '2026-01'
      from generate_series(0, 19999) i`,
    `insert into post_attempts (result_id, number, run, phase, started_at, outcome)
      select 'res_' || i, 1, 1, 'commit', now(), 'published' from generate_series(0, 19999) i`,
    `insert into result_changes (id, project_id, result_id, type, status, workflow_id, progressed_at)
      select 'chg_' || i, 'prj_' || i % 50, 'res_' || i, 'unpublish',
        case when i % 100 = 0 then 'pending' else 'succeeded' end, 'w' || i,
        now() - i * interval '1 s'
      from generate_series(0, 19999) i`,
    `insert into account_usage (social_account_id, month, published)
      select 'sa_' || i, '2026-01', 4 from generate_series(0, 4999) i`,
    `insert into rate_limits (key) select 'account/sa_' || i from generate_series(0, 4999) i`,
    `insert into webhook_subscriptions (id, project_id, environment, url, events, status,
        secret_preview)
      select 'wh_' || i, 'prj_' || case when i < 1000 then i % 50 else i % 1000 end, ${environment},
        'https://example.com', '{post.failed}', 'active', 'whsec_'
      from generate_series(0, 4999) i`,
    `insert into events (id, project_id, environment, kind, body, post_id, created_at)
      select 'evt_' || i, 'prj_' || i % 50, ${environment}, 'post.failed', '{}', 'post_' || i, now() - i * interval '1 s'
      from generate_series(0, 19999) i`,
    `insert into deliveries (id, project_id, webhook_id, event_id, event, status, trigger, batch_id,
        next_attempt_at, concluded_at, delivered_at, failed_at, attempt_count)
      select 'dlv_' || i, 'prj_' || i % 50, 'wh_' || i % 1000, 'evt_' || i, 'post.failed',
        case when i % 50 = 0 then 'pending' when i % 9 = 0 then 'failed' else 'delivered' end,
        'event', case when i % 100 = 0 then null else 'bat_' || i / 100 end,
        case when i % 50 = 0 then now() - i * interval '1 s' end,
        case when i % 50 > 0 then now() end, case when i % 50 > 0 and i % 9 > 0 then now() end,
        case when i % 50 > 0 and i % 9 = 0 then now() end, 1
      from generate_series(0, 19999) i`,
    `insert into delivery_attempts (delivery_id, number, trigger, started_at, timings, request_headers)
      select 'dlv_' || i, 1, 'schedule', now(), '{}', '{}' from generate_series(0, 19999) i`,
    `insert into idempotency_keys (project_id, key, fingerprint, environment, scopes, created_at)
      select 'prj_' || i % 50, i::text, '', 'production', '{}', now() - i * interval '10 s' from generate_series(0, 19999) i`,
    `insert into connect_sessions (id, project_id, environment, platform, external_user_id, status,
        token_hash, expires_at, flow)
      select 'cs_' || i, 'prj_' || i % 50, ${environment}, 'sandbox', 'user_' || i, 'pending', '', now(),
        case when i % 50 = 0 then ''::bytea end
      from generate_series(0, 4999) i`,
    `insert into review_links (id, project_id, post_id, social_account_id, token_hash, expires_at)
      select 'rev_' || i, 'prj_' || i % 50, 'post_' || i, 'sa_' || i % 5000, '', now()
      from generate_series(0, 4999) i`,
    `insert into data_deletions (code, app_id, social_account_ids, erased_at)
      select 'code_' || i, 'app_7', array['sa_' || i], case when i % 50 > 0 then now() end
      from generate_series(0, 4999) i`,
    `insert into replays (id, project_id, webhook_id, status, since, until, statuses, matched,
        workflow_id, concluded_at, environment)
      select 'rpl_' || i, 'prj_' || i % 50, 'wh_' || i % 1000, 'completed', now(), now(), '{}', 0, '', now(), ${environment}
      from generate_series(0, 4999) i`,
    `insert into outbox (id, project_id, workflow, workflow_id, input, start_at, is_early)
      select 'out_' || i, 'prj_' || i % 50, 'publishPost', 'w' || i, '{}',
        case when i % 2 = 0 then now() + i * interval '1 s' end, i % 2 = 0
      from generate_series(0, 19999) i`,
    `insert into activity_failures (workflow_id, activity, error, failed_at)
      select 'w' || i, 'deliver', 'e', now() - i * interval '1 s' from generate_series(0, 4999) i`,
    `insert into sandbox_posts (id, handle, caption, created_at)
      select i::text, 'ada', 'c', now() - i * interval '1 s' from generate_series(0, 4999) i`,
    `insert into sandbox_media (id, handle, content_type, bytes, created_at)
      select i::text, 'ada', 'image/png', 1, now() - i * interval '1 s'
      from generate_series(0, 4999) i`,
    `insert into sandbox_media_parts (media_id, start_byte, bytes)
      select i::text, 0, '' from generate_series(0, 4999) i`,
    `insert into sandbox_refusals (reference, count, created_at)
      select i::text, 1, now() - i * interval '1 s' from generate_series(0, 4999) i`,
    `insert into sandbox_grants (id, handle, created_at)
      select i::text, 'ada', now() - i * interval '1 s' from generate_series(0, 4999) i`,
    `update replays set status = 'running', concluded_at = null, created_at = now() - interval '1 h'
      where substr(id, 5)::int < 100`,
    `update deliveries set replay_id = 'rpl_' || substr(id, 5)::int % 1000
      where substr(id, 5)::int < 10000`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
  // Each row has its transaction's id, which is what the feed is read by.
  for (let from = 0; from < 20_000; from += 20) {
    await sql`insert into changes (project_id, subject, subject_id, kind)
      select 'prj_' || i % 50, 'post', 'post_' || i, 'created'
      from generate_series(${from}::int, ${from + 19}::int) i`.execute(db);
  }
  await sql`analyze`.execute(db);
}
