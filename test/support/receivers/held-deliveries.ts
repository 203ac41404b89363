// Thousands of deliveries that are in flight at the same time, and checks of them after a fault.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db } from '../../../schema/database/tables.ts';
import { recordEvent } from '../../../schema/database/events/record.ts';
import type { EventType } from '../../../schema/event-types.ts';
import type { Api } from '../app/api.ts';
import { startReceiver, type ReceivedRequest } from './receiver.ts';
import { inQuietTransaction } from '../rows/quiet-transaction.ts';

/** Each kind has its own webhook and receiver. */
const heldKinds = ['post.published', 'post.failed', 'post.partial'] as const;
const failingKind = 'account.connected';
const eventsOfEachKind = 850;
const failingEvents = 50;
/** The first events of each kind are answered. The other events are held until the fault has happened. */
const answeredOfEachKind = 150;
export const heldCount = heldKinds.length * (eventsOfEachKind - answeredOfEachKind);

interface LoggedDelivery {
  id: string;
  event_id: string;
  status: string;
  attempt_count: number;
  next_attempt_at: Date | null;
  /** Numbers of the attempts in the delivery's log, in their order. */
  numbers: number[];
  codes: (number | null)[];
}

/** The current API and database. After a restart, they are different objects. */
export interface Installation {
  readonly api: Api;
  readonly db: Db;
}

export interface HeldDeliveries extends AsyncDisposable {
  /** Ids of the deliveries whose answer is not recorded, except those that wait in their retry schedule. */
  readInFlight(): Promise<Set<string>>;
  /** Receivers answer from now on, each request after 100 to 300 ms. */
  release(): void;
  /** Commits further events one after the other, even if the database often refuses. */
  commitMore(count: number): Promise<void>;
  /**
   * Waits until every event is delivered. Checks that nothing is missing, that only deliveries in `inFlight`
   * came twice, and that the API reports everything correctly.
   */
  conclude(inFlight: Set<string>): Promise<Delivered>;
}

export interface Delivered {
  /** When the last request came that was not a retry by the schedule. */
  lastSentAt: Date;
  /** How many deliveries came more often than the log says. */
  repeatedCount: number;
}

/** Resolves when `heldCount` requests are waiting for their answers. */
export async function holdDeliveries(installation: Installation): Promise<HeldDeliveries> {
  const projectId = (await installation.api.get('/v1/project')).body.data.id as string;
  const gate = Promise.withResolvers<void>();
  const eventIds = new Set<string>();
  const held = await Promise.all(
    heldKinds.map(() =>
      startReceiver({
        respond: async ({ number }) => {
          if (number > answeredOfEachKind) await gate.promise;
          return { status: 200, delayMs: 100 + ((number * 37) % 200) };
        },
      }),
    ),
  );
  const failedOnce = new Set<string>();
  const failing = await startReceiver({
    respond: (request) => {
      const id = deliveryIdOf(request);
      if (failedOnce.has(id)) return { status: 200 };
      failedOnce.add(id);
      return { status: 503 };
    },
  });
  const receivers = [...held, failing];
  const webhookIds: string[] = [];
  for (const [i, type] of [...heldKinds, failingKind].entries()) {
    const { url } = receivers[i]!;
    const { body } = await installation.api.post('/v1/webhooks', { url, events: [type] });
    webhookIds.push(body.data.id);
  }

  const commit = async (kinds: readonly EventType[]) => {
    const ids = await inQuietTransaction(installation.db, async (trx) => {
      const recorded: string[] = [];
      for (const type of kinds) {
        const data = { id: 'post_1', caption: 'x'.repeat(800) };
        const event = { projectId, environment: 'production', type, data } as const;
        recorded.push((await recordEvent(trx, event, { previewEvents: false })).eventId!);
      }
      return recorded;
    });
    for (const id of ids) eventIds.add(id);
  };

  await inParallel(failingEvents, () =>
    commit([
      failingKind,
      ...Array.from({ length: eventsOfEachKind / failingEvents }, () => heldKinds).flat(),
    ]),
  );
  await Promise.all([
    ...held.map((receiver) => receiver.waitForCount(eventsOfEachKind, { timeoutMs: 60_000 })),
    failing.waitForCount(failingEvents, { timeoutMs: 60_000 }),
  ]);

  return {
    async readInFlight() {
      // A delivery that waits for a retry may be due at the moment of the fault.
      const soon = new Date(Date.now() + 1_000);
      const records = await listRecords(installation.db, webhookIds);
      const isUnderway = ({ status, next_attempt_at }: LoggedDelivery) =>
        status === 'pending' || (status === 'retrying' && next_attempt_at! <= soon);
      return new Set(records.filter(isUnderway).map((record) => record.id));
    },
    release: () => gate.resolve(),
    async commitMore(count) {
      for (let committed = 0; committed < count;) {
        await commit(heldKinds).then(
          () => committed++,
          () => sleep(100),
        );
      }
    },
    async conclude(inFlight) {
      const records = await waitUntilDelivered(installation.db, webhookIds);
      const requests = Map.groupBy(
        receivers.flatMap((receiver) => receiver.requests),
        deliveryIdOf,
      );
      expectTrue(records, requests, { eventIds, inFlight });
      const sentAtMs = held.flatMap(({ requests }) => requests.map((each) => +each.receivedAt));
      const repeated = records.filter(
        ({ id, attempt_count }) => requests.get(id)!.length > attempt_count,
      );
      return { lastSentAt: new Date(Math.max(...sentAtMs)), repeatedCount: repeated.length };
    },
    async [Symbol.asyncDispose]() {
      for (const id of webhookIds) await installation.api.delete(`/v1/webhooks/${id}`);
      await Promise.all(receivers.map((receiver) => receiver.close()));
    },
  };
}

function expectTrue(
  records: LoggedDelivery[],
  requests: Map<string, ReceivedRequest[]>,
  { eventIds, inFlight }: { eventIds: Set<string>; inFlight: Set<string> },
): void {
  // If the commit of an event was interrupted, the event may exist although its ID is unknown.
  expect([...eventIds].filter((id) => !records.some((record) => record.event_id === id))).toEqual(
    [],
  );
  expect(records.filter(({ id }) => !requests.has(id))).toEqual([]);
  // Deliveries that came more or less often than the log says, although they were not in flight.
  const repeated = records.filter(
    ({ id, attempt_count }) => requests.get(id)!.length !== attempt_count && !inFlight.has(id),
  );
  expect(repeated).toEqual([]);
  const untold = records.filter(
    ({ numbers, codes, attempt_count, id }) =>
      attempt_count > requests.get(id)!.length ||
      attempt_count !== numbers.length ||
      numbers.some((number, i) => number !== i + 1) ||
      codes.some((code, i) => (code === 200) !== (i === codes.length - 1)),
  );
  expect(untold).toEqual([]);
  const misnamed = records.filter(({ id, event_id }) =>
    requests.get(id)!.some((request) => request.headers['webhook-id'] !== event_id),
  );
  expect(misnamed).toEqual([]);
  expect(requests.size).toBe(records.length);
}

async function waitUntilDelivered(db: Db, webhookIds: string[]): Promise<LoggedDelivery[]> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const records = await listRecords(db, webhookIds);
    const open = records.filter(({ status }) => status !== 'delivered');
    if (open.length === 0) return records;
    if (Date.now() > deadline) {
      throw new Error(`${open.length} are not delivered, such as ${JSON.stringify(open[0])}`);
    }
    await sleep(200);
  }
}

async function listRecords(db: Db, webhookIds: string[]): Promise<LoggedDelivery[]> {
  const { rows } = await sql<LoggedDelivery>`
    select d.id, d.event_id, d.status, d.attempt_count, d.next_attempt_at,
      coalesce(array_agg(a.number order by a.number) filter (where a.number is not null), '{}')
        as numbers,
      coalesce(array_agg(a.status_code order by a.number) filter (where a.number is not null), '{}')
        as codes
    from deliveries d left join delivery_attempts a on a.delivery_id = d.id
    where d.webhook_id = any (${webhookIds})
    group by d.id`.execute(db);
  return rows;
}

async function inParallel(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const loop = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: 8 }, loop));
}

const deliveryIdOf = (request: ReceivedRequest) => String(request.headers['x-service-delivery']);
