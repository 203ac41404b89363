// Claims of relays: outbox rows, groups of posts, and batches of deliveries.
import { sql, type RawBuilder } from 'kysely';
import { newId } from '../../wire/ids.ts';
import { inMs, msUntil } from '../database-clock.ts';
import { aheadMs } from '../outbox.ts';
import { areDeliveriesPaused } from '../pauses.ts';
import { allOf, executePrepared, wholeTables } from '../prepared.ts';
import type { Db, OutboxRow } from '../tables.ts';
import {
  deliverEventsWorkflow,
  deliverEventsWorkflowId,
  publishPostsWorkflow,
  publishPostsWorkflowId,
  type DeliverEventsInput,
  type PublishPostInput,
} from '../../workflows.ts';

/** A CTE. A statement that selects from this CTE returns before the statement's commit is on disk. */
const unsynced = sql`unsynced as materialized (
  select set_config('synchronous_commit', 'off', true))`;

/** After this time a row is claimed again, because its relay has died or Temporal was unavailable. */
const claimMs = 2_000;
/** How long a relay owns a batch that it attempts. The relay renews the claim while the attempts last. */
const batchClaimMs = 5_000;
/**
 * `delay_ms`: time until the workflow begins; null: now. `was_claimed`: the row was claimed before, so a relay may
 * have started the workflow.
 */
export type ClaimedRow = OutboxRow & { delay_ms?: number | null; was_claimed?: boolean };

/**
 * SQL: rows that relays claim from each owner in turn. An owner is a project or a webhook. `first`: the columns before
 * the owner in the index, which every order names so that Postgres need not sort.
 */
type Queue = Record<'table' | 'owner' | 'isWaiting' | 'order', RawBuilder<unknown>> & {
  first?: RawBuilder<unknown>;
};

/** CTE: the owners of waiting rows, and the oldest row of each, found together by one step in an index. */
const waitingOwners = ({ table, owner, isWaiting, order, first = sql`` }: Queue) => sql`waiting as (
      (select ${owner} as value, id from ${table} where ${isWaiting}
      order by ${first} ${owner}, ${order} limit 1)
      union all
      select next.* from waiting cross join lateral (
        select ${owner} as value, id from ${table} where ${isWaiting} and ${owner} > waiting.value
        order by ${first} ${owner}, ${order} limit 1
      ) next
    )`;

/**
 * CTEs. `locked` has the oldest rows of these owners, at most `share` of each and `limit` of all. Projects take
 * turns, and so do the webhooks of a project, so a long backlog delays no other project. Skips rows that another
 * relay has locked.
 */
function lockInTurn(
  { table, owner, isWaiting, order, first = sql`` }: Queue,
  owners: RawBuilder<unknown>,
  share: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  return sql`oldest as materialized (
      select id from (
        select own.id, row_number() over (partition by project_id order by place, own.id) as turn
        from ${owners} as one cross join lateral (
          select id, project_id, row_number() over (order by ${first} ${order}) as place from ${table}
          where ${isWaiting} and ${owner} = one.value
          order by ${first} ${order} limit ${share}
        ) own
      ) ranked
      order by turn, id limit ${limit}
    ), locked as (
      select id from ${table} where id = any (array(select id from oldest)) and ${isWaiting}
      for update skip locked
    )`;
}

/** Scheduled rows that become ready at once: of all projects, and of each. */
const maxReleased = 1_000;
export const maxReleasedOfEach = 200;

const isNear = sql`is_early and start_at <= ${inMs(aheadMs)}`;

/** Rows that become ready because they are near their start. */
const nearQueue: Queue = {
  table: sql`outbox`,
  owner: sql`project_id`,
  isWaiting: isNear,
  order: sql`start_at, id`,
};

/**
 * Makes scheduled rows ready that are near their start, of each project in turn. Returns their number. With at least
 * `maxReleasedOfEach`, more may be near their start.
 */
export async function releaseEarly(db: Db): Promise<number> {
  // Steps over the projects with early rows only if some row is near its start.
  const owners: Queue = {
    ...nearQueue,
    isWaiting: sql`is_early and exists (select from outbox where ${isNear})`,
  };
  const statement = sql`
    with recursive ${waitingOwners(owners)},
    ${lockInTurn(nearQueue, sql`waiting`, sql`${maxReleasedOfEach}`, maxReleased)}
    update outbox set is_early = false where id = any (array(select id from locked)) returning id`;
  return (await executePrepared(db, 'release_early', statement)).length;
}

const everyOutboxColumn = allOf(wholeTables.outbox, 'outbox');

const outboxQueue: Queue = {
  table: sql`outbox`,
  owner: sql`project_id`,
  isWaiting: sql`not is_early and (claimed_until is null or claimed_until < now())`,
  order: sql`coalesce(start_at, created_at), id`,
};

/** SQL: the end of a claim. In milliseconds, so that a relay can compare it with its own claim. */
const claimEnd = (ms: number) => sql<Date>`date_trunc('milliseconds', ${inMs(ms)})`;

/** Claims rows of each project in turn, the oldest first. `except`: projects whose rows stay. */
export async function claimOutbox(
  db: Db,
  limit: number,
  except: string[] = [],
): Promise<ClaimedRow[]> {
  const statement = sql<ClaimedRow>`
    with recursive ${waitingOwners(outboxQueue)}, wanted as materialized (
      select value from waiting where value <> all (${except}::text[])
    ), ${lockInTurn(outboxQueue, sql`wanted`, sql`${limit}`, limit)}, claimed as (
      select id, claimed_until is not null as was_claimed from outbox
      where id = any (array(select id from locked))
    )
    update outbox set claimed_until = ${claimEnd(claimMs)} from claimed where outbox.id = claimed.id
    returning ${everyOutboxColumn}, was_claimed, ${msUntil(sql.ref('start_at'))} as delay_ms`;
  return executePrepared(db, 'claim_outbox', statement);
}

/**
 * Replaces the rows of these posts by one row, whose workflow publishes all of them. Drops rows of superseded
 * runs. Leaves a row alone whose post is locked, or that another relay has claimed since. Undefined: no run is
 * left.
 */
export async function groupPosts(db: Db, rows: ClaimedRow[]): Promise<ClaimedRow | undefined> {
  const id = newId('outbox');
  const workflowId = publishPostsWorkflowId(id);
  const asked = rows.map((row) => {
    const { postId, run } = row.input as unknown as PublishPostInput;
    const { workflow_id, start_at, claimed_until } = row;
    return { outbox_id: row.id, workflow_id, start_at, claimed_until, post_id: postId, run };
  });
  const ownPosts = sql`select posts.id from posts join asked on posts.id = post_id
      where current_run = run and posts.workflow_id = asked.workflow_id`;
  const statement = sql<ClaimedRow>`
    with ${unsynced}, asked as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as t (
        outbox_id text, workflow_id text, start_at timestamptz, claimed_until timestamptz,
        post_id text, run int)
    ), found as materialized (
      ${ownPosts}
    ), free as (
      ${ownPosts}
      order by posts.id for no key update of posts skip locked
    ), taken as (
      delete from outbox using asked, unsynced
      where outbox.id = any (array(select outbox_id from asked))
        and outbox.id = asked.outbox_id and outbox.claimed_until = asked.claimed_until
        and (post_id = any (array(select id from free))
          or post_id <> all (array(select id from found)))
      returning post_id, run, asked.start_at
    ), own as (
      select post_id, run, start_at from taken where post_id = any (array(select id from free))
    ), moved as (
      update posts set workflow_id = ${workflowId} from own where posts.id = own.post_id
    )
    insert into outbox (id, workflow, workflow_id, input, start_at, claimed_until)
    select ${id}, ${publishPostsWorkflow}, ${workflowId},
      jsonb_build_object('posts', jsonb_agg(jsonb_build_object('postId', post_id, 'run', run))),
      case when bool_and(coalesce(start_at > now(), false)) then min(start_at) end,
      ${claimEnd(claimMs)}
    from own having count(*) > 0
    returning ${everyOutboxColumn}, ${msUntil(sql.ref('start_at'))} as delay_ms`;
  const [row] = await executePrepared(db, 'group_posts', statement);
  return row;
}

/** Extends the claims of batches whose attempts last. */
export async function renewClaims(db: Db, ids: string[]): Promise<void> {
  await sql`
    update outbox set claimed_until = ${inMs(batchClaimMs)}
    where id = any (${ids}::text[])`.execute(db);
}

export async function deleteOutbox(db: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  // A crash may bring the row back. Starting its workflow twice has no effect.
  const statement = sql`
    with ${unsynced}
    delete from outbox using unsynced where id = any(${ids}::text[])`;
  await executePrepared(db, 'delete_outbox', statement);
}

/** The outbox row of a batch's workflow, and the number of its deliveries. */
export type ClaimedBatch = OutboxRow & { size: number; batchId: string };

interface BatchOptions {
  limit: number;
  /** Failing webhooks get batches of their own, since their slow receivers would hold up the others. */
  isFailing?: boolean;
  /** Webhooks that already have enough deliveries in flight. */
  except?: string[];
  /** Projects that already have enough deliveries in flight. */
  exceptProjects?: string[];
}

const deliveryQueue: Queue = {
  table: sql`deliveries`,
  owner: sql`webhook_id`,
  isWaiting: sql`batch_id is null and (status = 'pending' or status = 'retrying')`,
  order: sql`id`,
  first: sql`batch_id,`,
};
/**
 * A smaller batch has all deliveries that were waiting. With a limit of 100, a project with `w` webhooks leaves some
 * behind only if one webhook has 100 / w in the batch and each other has at least one. Together, these are 19 or more.
 */
export const leastIfMore = 10;

/**
 * Claims waiting deliveries as one batch, and inserts the outbox row of its workflow in the same statement. Projects
 * share the batch, and the webhooks of a project share its part. The caller attempts the deliveries or starts the
 * workflow. If the caller dies, another relay starts the workflow. Undefined: no deliveries are waiting, or deliveries
 * are paused.
 *
 * The commit may return before it is on disk. If a crash loses the commit, the workflow finds no deliveries, and
 * the deliveries are claimed again.
 */
export async function claimBatch(
  db: Db,
  { limit, isFailing = false, except = [], exceptProjects = [] }: BatchOptions,
): Promise<ClaimedBatch | undefined> {
  const batchId = newId('batch');
  const input: DeliverEventsInput = { batchId, isFailing };
  const statement = sql<OutboxRow & { size: number }>`
    with recursive ${unsynced}, ${waitingOwners(deliveryQueue)}, ranked_webhooks as (
      select value, project_id, row_number() over (partition by project_id order by waiting.id) as turn
      from waiting cross join lateral (
        select project_id, failing_since from webhook_subscriptions where id = value limit 1
      ) webhook
      where not ${areDeliveriesPaused} and value <> all (${except}::text[])
        and (failing_since is not null) = ${isFailing}
        and project_id <> all (${exceptProjects}::text[])
    ), wanted as materialized (
      select value, ceil(${limit}::float8 / count(*) over (partition by project_id))::int as share
      from ranked_webhooks where turn <= ${limit}
    ), ${lockInTurn(deliveryQueue, sql`wanted`, sql.ref('one.share'), limit)}, batch as (
      update deliveries d set batch_id = ${batchId}
      from locked where d.id = locked.id
      returning d.id
    )
    insert into outbox (id, workflow, workflow_id, input, claimed_until)
    select ${newId('outbox')}, ${deliverEventsWorkflow}, ${deliverEventsWorkflowId(batchId)},
      ${JSON.stringify(input)}::jsonb, ${inMs(isFailing ? claimMs : batchClaimMs)}
    from batch, unsynced having count(*) > 0
    returning ${everyOutboxColumn}, (select count(*)::int from batch) as size`;
  const [row] = await executePrepared(db, 'claim_batch', statement);
  return row && { ...row, batchId };
}
