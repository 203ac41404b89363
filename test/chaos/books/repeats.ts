// Explains each delivery that a receiver took again: by a lost answer, or by what a fault caught in flight.
import {
  isTaken,
  type Book,
  type DeliveryFacts,
  type Facts,
  type Loss,
  type StoredAttempt,
} from './records.ts';

export interface Repeats {
  /** How often deliveries were taken again. */
  repeats: number;
  /** For each fault: taken requests that it caught in flight, and how many of them were repeated. */
  faults: { name: string; inFlight: number; repeats: number }[];
  differences: string[];
}

/** One request that its receiver took. */
interface Flight {
  sentAt: Date;
  receivedAt: Date;
  /** Undefined: its outcome was never recorded, or was lost with a restored database. */
  attempt: StoredAttempt | undefined;
}

/** Without a heartbeat for so long, a worker is replaced. */
const heartbeatMs = 10_000;

export function explainRepeats(facts: DeliveryFacts): Repeats {
  const { losses } = facts;
  const flightsById = listFlights(facts);
  const flightMs = findFlightMs([...flightsById.values()].flat(), facts);
  const faults = losses.map(({ name }) => ({ name, inFlight: 0, repeats: 0 }));
  const differences: string[] = [];
  let repeats = 0;
  for (const [id, flights] of flightsById) {
    for (const flight of flights) {
      losses.forEach(
        (loss, i) => (faults[i]!.inFlight += Number(isCaught(flight, loss, flightMs))),
      );
    }
    for (const [i, next] of flights.entries()) {
      if (i === 0) continue;
      repeats++;
      const cause = findCause(flights.slice(0, i), next, { losses, flightMs });
      if (typeof cause === 'string') {
        const requests = flights
          .slice(0, i + 1)
          .map(describeFlight)
          .join('; ');
        differences.push(`delivery ${id} was taken again ${cause}: ${requests}`);
      }
      if (typeof cause === 'object') faults[losses.indexOf(cause)]!.repeats++;
    }
  }
  return { repeats, faults, differences };
}

/** The fault that explains the repeat, undefined if it needs none, or what is wrong with it. */
function findCause(
  before: Flight[],
  next: Flight,
  { losses, flightMs }: Pick<DeliveryFacts, 'losses' | 'flightMs'>,
): Loss | string | undefined {
  const known = before.find(
    ({ attempt }) => attempt?.statusCode != null && attempt.recordedAt < next.sentAt,
  );
  if (known) return `${seconds(known.attempt!.recordedAt, next)} after it was recorded as taken`;
  const last = before.at(-1)!;
  const { attempt, sentAt } = last;
  const isAnswerLost = attempt?.statusCode === null && attempt.recordedAt <= next.sentAt;
  if (isAnswerLost) return undefined;
  const loss = losses.find((one) => isCaught(last, one, flightMs));
  if (loss) return loss;
  const stoodStill = attempt && attempt.recordedAt.getTime() - sentAt.getTime() > heartbeatMs;
  if (stoodStill) return undefined;
  return `after ${seconds(last.receivedAt, next)}, and no fault caught it in flight`;
}

const seconds = (from: Date, { receivedAt }: Flight) =>
  `${((receivedAt.getTime() - from.getTime()) / 1_000).toFixed(1)} s`;

/**
 * How long an outcome takes to be recorded at the latest, unless a fault prevents it. A machine that became slower
 * than it was at the start of the run shows by those that no fault touched.
 */
function findFlightMs(flights: Flight[], { losses, flightMs }: DeliveryFacts): number {
  const recordedAfterMs = flights
    .filter((flight) => flight.attempt && !losses.some((loss) => isCaught(flight, loss, flightMs)))
    .map(({ receivedAt, attempt }) => attempt!.recordedAt.getTime() - receivedAt.getTime());
  return Math.max(flightMs, ...recordedAfterMs);
}

function describeFlight({ sentAt, receivedAt, attempt }: Flight): string {
  const recorded = attempt
    ? `recorded ${attempt.recordedAt.toISOString()} as ${attempt.statusCode ?? 'unanswered'}`
    : 'never recorded';
  return `sent ${sentAt.toISOString()}, read ${receivedAt.toISOString()}, ${recorded}`;
}

function isCaught({ sentAt, receivedAt, attempt }: Flight, loss: Loss, flightMs: number): boolean {
  const endMs = attempt?.recordedAt.getTime() ?? receivedAt.getTime() + flightMs;
  return loss.from.getTime() <= endMs && loss.to >= sentAt;
}

/** By delivery, in the order in which they were sent. */
function listFlights({ receipts, attempts }: DeliveryFacts): Map<string, Flight[]> {
  const keyOf = (one: { deliveryId: string; timestamp: string }) =>
    `${one.deliveryId} ${one.timestamp}`;
  const attemptsByKey = Map.groupBy(attempts, keyOf);
  const flights = new Map<string, Flight[]>();
  for (const [key, group] of Map.groupBy(receipts, keyOf)) {
    const left = [...(attemptsByKey.get(key) ?? [])];
    const take = (statusCode: number | null) => {
      const index = left.findIndex((attempt) => attempt.statusCode === statusCode);
      return index < 0 ? undefined : left.splice(index, 1)[0];
    };
    // The answers that came first, since an attempt without an answer may belong to any of the others.
    const answered = group.map((receipt) => [receipt, take(receipt.statusCode)] as const);
    for (const [receipt, attempt = take(null)] of answered) {
      if (!isTaken(receipt)) continue;
      const own = flights.get(receipt.deliveryId) ?? [];
      own.push(toFlight(receipt, attempt));
      flights.set(receipt.deliveryId, own);
    }
  }
  for (const own of flights.values()) own.sort((a, b) => Number(a.sentAt) - Number(b.sentAt));
  return flights;
}

/** A busy run reads a request long after it was sent. A worker's clock may be wrong by a minute or more. */
function toFlight(
  { at, timestamp }: DeliveryFacts['receipts'][number],
  attempt: StoredAttempt | undefined,
): Flight {
  const sentMs = attempt?.startedAt.getTime() ?? Number(timestamp) * 1_000;
  const lagMs = at.getTime() - sentMs;
  const isClockRight = lagMs >= 0 && lagMs < 30_000;
  return { sentAt: isClockRight ? new Date(sentMs) : at, receivedAt: at, attempt };
}

/** A receiver takes a delivery once, unless its first answer was lost or a fault caught it in flight. */
export function balanceRepeats(facts: Facts): Book {
  const { receipts } = facts;
  const taken = new Set(receipts.filter(isTaken).map(({ deliveryId }) => deliveryId));
  const { differences } = explainRepeats(facts);
  return { name: 'deliveries were taken once', entries: taken.size, differences };
}
