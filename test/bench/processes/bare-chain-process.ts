// The baseline of posts and deliveries: the commits and calls that any correct program makes, and no more.
import { Pool } from 'pg';
import { Pool as RequestPool, type Dispatcher } from 'undici';
import { webhookHeaders } from '../../../activities/delivering/signature.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { sampleData } from '../events.ts';
import { atPace } from '../traffic.ts';

export interface BareChainOptions {
  databaseUrl: string;
  projectId: string;
  accountIds: readonly string[];
  /** The login at the sandbox. */
  grantId: string;
  /** Null: events have no delivery. */
  url: string | null;
  secret: string;
}

/** What the process did with an order. */
export interface ChainReport {
  seconds: number;
  /**
   * Milliseconds of each post or event until the receiver has answered, or without a receiver until the event is
   * recorded. At a pace, the time runs from the start of each one, otherwise from the start of the order.
   */
  latencies: number[];
}

export interface ChainOrder {
  count: number;
  /** Targets of each post. 0: events without a post. */
  targets: number;
  /** Null: as fast as possible. */
  perSecond: number | null;
}

const options = JSON.parse(process.argv[2]!) as BareChainOptions;
const { projectId, accountIds, grantId, url, secret } = options;
const event = 'post.published';
const caption = 'Out now, on every network at once.';
/** Posts or events in progress. */
const atOnce = 16;
const pool = new Pool({
  connectionString: options.databaseUrl,
  max: 20,
  idleTimeoutMillis: 0,
});
const receiver =
  url === null ? undefined : new RequestPool(new URL(url).origin, { connections: atOnce });
let carried = 0;

/** Postgres plans the statement once for each connection. */
async function run(name: string, text: string, values: unknown[]): Promise<void> {
  await pool.query({ name, text, values });
}

interface Post {
  id: string;
  resultIds: string[];
}

/** The post is accepted, begun and published, each with one commit. */
async function publish(targets: number): Promise<Post> {
  const id = newId('post');
  const resultIds = Array.from({ length: targets }, () => newId('result'));
  const first = carried++ * targets;
  await accept(
    id,
    resultIds,
    resultIds.map((_, i) => accountIds[(first + i) % accountIds.length]!),
  );
  await begin(resultIds);
  const startedAt = performance.now();
  const externalIds = await Promise.all(resultIds.map(callNetwork));
  await recordOutcome(id, resultIds, externalIds, Math.round(performance.now() - startedAt));
  return { id, resultIds };
}

function accept(id: string, resultIds: string[], accounts: string[]): Promise<void> {
  return run(
    'accept',
    `with post as (
       insert into posts (id, project_id, environment, caption, status, due_at, current_run)
       values ($1, $2, 'test', $3, 'pending', now(), 1)
     ), result as (
       insert into post_results (id, post_id, project_id, position, social_account_id, platform,
         account_name, default_options, status, phase, phase_state)
       select id, $1, $2, position - 1, account_id, 'sandbox', 'bench', '{}', 'pending', 'prepare',
         'ready'
       from unnest($4::text[], $5::text[]) with ordinality as target (id, account_id, position)
     )
     insert into changes (project_id, subject, subject_id, kind)
     values ($2, 'post', $1, 'created')`,
    [id, projectId, caption, resultIds, accounts],
  );
}

function begin(resultIds: string[]): Promise<void> {
  return run(
    'begin',
    `with begun as (
       update post_results
       set status = 'publishing', phase = 'commit', phase_state = 'begun', steps = steps + 1,
         attempts = attempts + 1, begun_at = now(), heartbeat_at = now()
       where id = any ($1::text[])
       returning id, steps
     )
     insert into post_attempts (result_id, number, run, phase, started_at, outcome)
     select id, steps, 1, 'commit', now(), 'begun' from begun`,
    [resultIds],
  );
}

/** The statements of the sandbox, as in `POST /sandbox/api/posts`. */
async function callNetwork(resultId: string): Promise<string> {
  const id = `${Date.now().toString(36)}${resultId.slice(-12)}`;
  await run('find_grant', 'select * from sandbox_grants where id = $1', [grantId]);
  await run(
    'insert_sandbox_post',
    `insert into sandbox_posts (id, handle, caption, reference, media)
     values ($1, 'bench', $2, $3, '{}') returning *`,
    [id, caption, resultId],
  );
  return id;
}

function recordOutcome(
  id: string,
  resultIds: string[],
  externalIds: string[],
  durationMs: number,
): Promise<void> {
  return run(
    'record_outcome',
    `with attempt as (
       update post_attempts set outcome = 'published', duration_ms = $4
       where result_id = any ($1::text[]) and number = 1
     ), published as (
       update post_results
       set status = 'published', external_id = known.id,
         url = 'http://127.0.0.1:4000/sandbox/posts/' || known.id, visibility = 'public',
         published_at = now()
       from unnest($1::text[], $2::text[]) as known (result_id, id)
       where post_results.id = result_id
       returning post_results.id
     )
     insert into changes (project_id, subject, subject_id, result_id, kind)
     select $5, 'post', $3, id, 'result.published' from published`,
    [resultIds, externalIds, id, durationMs, projectId],
  );
}

/** Concludes the post, if there is one, and records the event with its delivery. */
function recordEvent(
  post: Post | undefined,
  ids: { eventId: string; deliveryId: string },
  body: string,
): Promise<void> {
  return run(
    'record_event',
    `with post as (
       update posts
       set status = 'published', published_at = now(), started_run = 1, concluded_run = 1,
         progressed_at = now()
       where id = $1
     ), event as (
       insert into events (id, project_id, environment, kind, body, post_id, created_at)
       values ($2, $3, 'test', $4, $5, $1, now())
     )
     insert into deliveries (id, project_id, webhook_id, event_id, event, status, trigger,
       next_attempt_at, created_at)
     select $6, $3, 'wh_bare', $2, $4, 'pending', 'event', now(), now() where $7::boolean`,
    [post?.id ?? null, ids.eventId, projectId, event, body, ids.deliveryId, url !== null],
  );
}

interface Attempt {
  startedAt: Date;
  headers: Record<string, string>;
  response: Dispatcher.ResponseData;
  answer: string;
}

async function deliver(
  { eventId, deliveryId }: { eventId: string; deliveryId: string },
  body: string,
): Promise<Attempt> {
  const startedAt = new Date();
  const headers = webhookHeaders(
    { event, eventId, deliveryId, isTest: false, body, secrets: [secret] },
    startedAt,
  );
  const response = await receiver!.request({ method: 'POST', path: '/', headers, body });
  const answer = await response.body.text();
  if (response.statusCode >= 300) throw new Error(`It answered ${response.statusCode}.`);
  return { startedAt, headers, response, answer };
}

function recordAttempt(
  deliveryId: string,
  { startedAt, headers, response, answer }: Attempt,
): Promise<void> {
  return run(
    'record_attempt',
    `with delivered as (
       update deliveries
       set status = 'delivered', attempt_count = attempt_count + 1,
         scheduled_attempts = scheduled_attempts + 1, last_status_code = $2,
         next_attempt_at = null, concluded_at = now(), delivered_at = now()
       where id = $1
       returning attempt_count
     )
     insert into delivery_attempts (delivery_id, number, trigger, started_at, timings,
       remote_address, status_code, request_headers, response_headers, response_body)
     select $1, attempt_count, 'schedule', $3, $4, '127.0.0.1', $2, $5, $6, $7 from delivered`,
    [
      deliveryId,
      response.statusCode,
      startedAt,
      JSON.stringify({ total_ms: Date.now() - startedAt.getTime() }),
      JSON.stringify(headers),
      JSON.stringify(response.headers),
      answer,
    ],
  );
}

/** From the commit of the post or of the event to the recorded answer of the receiver. Returns the latency. */
async function carry(targets: number, startedAtMs: number): Promise<number> {
  const post = targets > 0 ? await publish(targets) : undefined;
  const data = post
    ? { ...sampleData, id: post.id, results: post.resultIds.map(toResult) }
    : sampleData;
  const body = JSON.stringify({ event, timestamp: new Date().toISOString(), data });
  const ids = { eventId: newId('event'), deliveryId: newId('delivery') };
  await recordEvent(post, ids, body);
  const attempt = receiver && (await deliver(ids, body));
  const latency = performance.now() - startedAtMs;
  if (attempt) await recordAttempt(ids.deliveryId, attempt);
  return latency;
}

const toResult = (id: string) => ({ ...sampleData.results[0]!, id });

async function carryAll({ count, targets, perSecond }: ChainOrder): Promise<ChainReport> {
  const startedAtMs = performance.now();
  const latencies: number[] = [];
  let left = count;
  async function loop(): Promise<void> {
    while (left-- > 0) latencies.push(await carry(targets, startedAtMs));
  }
  async function carryOne(): Promise<void> {
    latencies.push(await carry(targets, performance.now()));
  }
  if (perSecond === null) await Promise.all(Array.from({ length: atOnce }, loop));
  else await atPace(count, perSecond, carryOne);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await reportCounts();
  return { seconds, latencies };
}

/** Makes Postgres count these connections' work now, and not while the next program is measured. */
async function reportCounts(): Promise<void> {
  const connections = Array.from({ length: pool.totalCount }, () => pool.connect());
  const clients = await Promise.all(connections);
  for (const client of clients) {
    await client.query('select pg_stat_force_next_flush()');
    client.release();
  }
}

process.on('message', (order: ChainOrder) => {
  void carryAll(order).then((report) => process.send!(report satisfies ChainReport));
});
process.on('disconnect', () => process.exit(0));
await pool.query('select');
process.send!('ready');
