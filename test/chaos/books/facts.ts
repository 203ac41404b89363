// Reads the facts of a run from the databases, once nothing is under way.
import type { Db } from '../../../schema/database/tables.ts';
import { readAttempts } from './attempts.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { LiveClient } from '../live-clients.ts';
import type { Load, LoadedPost } from '../load.ts';
import type { Receivers } from '../receivers.ts';
import type {
  AcceptedPost,
  Facts,
  Loss,
  StoredEvent,
  StoredPost,
  Watched,
  Window,
} from './records.ts';

export interface Sources {
  cluster: Cluster;
  load: Pick<Load, 'posts' | 'waiting'>;
  receivers: Receivers;
  liveClients: readonly LiveClient[];
  /** The last change before the live clients' first cursor. */
  firstChange: bigint;
  /** Between the copy that was restored and the restore. */
  lostWindows: readonly Window[];
  losses: readonly Loss[];
  flightMs: number;
  watched: Watched;
}

/** The newest change, by its number. */
export async function readLastChange(cluster: Cluster): Promise<bigint> {
  return cluster.withDatabase(async (db) => {
    const { last } = await db
      .selectFrom('changes')
      .select((eb) => eb.fn.max<string | null>('id').as('last'))
      .executeTakeFirstOrThrow();
    return BigInt(last ?? 0);
  });
}

/** Nothing may be under way meanwhile, or the databases contradict each other. */
export async function readFacts(sources: Sources): Promise<Facts> {
  const { cluster, load, receivers } = sources;
  const published = await cluster.withSandbox((db) =>
    db.selectFrom('sandbox_posts').select(['id', 'reference', 'created_at']).execute(),
  );
  return cluster.withDatabase(async (db) => ({
    accepted: load.posts.map((post) => toAccepted(post, sources)),
    stored: await readPosts(db),
    published: published.map(({ id, reference, created_at }) => ({
      id,
      reference: reference ?? '',
      createdAt: created_at,
    })),
    events: await readEvents(db),
    webhooks: receivers.webhooks.map(({ id, project }) => ({
      id,
      projectId: cluster.projects[project]!.id,
    })),
    deliveries: (await db.selectFrom('deliveries').selectAll().execute()).map((row) => ({
      id: row.id,
      eventId: row.event_id,
      webhookId: row.webhook_id,
      status: row.status,
    })),
    receipts: [...receivers.receipts],
    attempts: await readAttempts(db),
    open: sources.watched.open,
    streams: (await readStreams(db, sources)).map((stream) => ({
      ...stream,
      isMoving: sources.watched.moving.has(stream.name),
    })),
    lostWindows: sources.lostWindows,
    losses: sources.losses,
    flightMs: sources.flightMs,
  }));
}

function toAccepted(post: LoadedPost, { lostWindows, load }: Sources): AcceptedPost {
  const { plan, id, acceptedAt, scheduledAt, isMoved, wasCanceled, retries } = post;
  return {
    name: `${plan.name} (${plan.way})`,
    id,
    isExcused: lostWindows.some(({ from, to }) => acceptedAt >= from && acceptedAt <= to),
    wasRestored: lostWindows.some(({ to }) => acceptedAt <= to),
    ends: plan.targets.map(({ end }) => end),
    wasCanceled,
    retries,
    hasClient: load.waiting.has(plan.name),
    notBefore: isMoved ? undefined : scheduledAt,
    isPrompt: plan.targets.map(({ options }) => options.times === undefined),
  };
}

async function readPosts(db: Db): Promise<StoredPost[]> {
  const posts = await db.selectFrom('posts').select(['id', 'status']).execute();
  const results = await db.selectFrom('post_results').selectAll().orderBy('position').execute();
  const byPost = Map.groupBy(results, ({ post_id }) => post_id);
  return posts.map(({ id, status }) => ({
    id,
    status,
    results: (byPost.get(id) ?? []).map((row) => ({
      id: row.id,
      status: row.status,
      errorCode: row.error_code,
      externalId: row.external_id,
    })),
  }));
}

/** In the order in which they were recorded, whatever the clocks said. */
async function readEvents(db: Db): Promise<StoredEvent[]> {
  const rows = await db
    .selectFrom('events')
    .innerJoin('changes', 'changes.subject_id', 'events.id')
    .select(['events.id', 'events.project_id', 'events.kind', 'events.post_id', 'events.body'])
    .where('events.post_id', 'is not', null)
    .orderBy('changes.xid')
    .orderBy('changes.id')
    .execute();
  return rows.map(({ id, project_id, kind, post_id, body }) => ({
    id,
    projectId: project_id,
    kind,
    postId: post_id,
    body,
  }));
}

export async function readStreams(
  db: Db,
  { cluster, liveClients, firstChange }: Pick<Sources, 'cluster' | 'liveClients' | 'firstChange'>,
) {
  const rows = await db.selectFrom('changes').selectAll().orderBy('xid').orderBy('id').execute();
  const byProject = Map.groupBy(rows, ({ project_id }) => project_id);
  return liveClients.map(({ name, project, subject, received, isWhole }) => ({
    name,
    received: [...received],
    recorded: (byProject.get(cluster.projects[project]!.id) ?? [])
      .filter((row) => row.subject === subject && (isWhole || BigInt(row.id) > firstChange))
      .map(({ kind, subject_id }) => `${kind} ${subject_id}`),
  }));
}
