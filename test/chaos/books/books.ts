// Balances the books of a run: what clients were promised against what is stored, public and received.
import { balanceOrphans } from './orphans.ts';
import {
  isTaken,
  type Book,
  type Facts,
  type Receipt,
  type StoredAttempt,
  type StoredDelivery,
  type StoredEvent,
  type StoredResult,
  type Stream,
  type TargetEnd,
} from './records.ts';
import { balanceRepeats } from './repeats.ts';
import type { Verdict } from './verdicts.ts';

export function balance(facts: Facts): Book[] {
  return [
    balanceEnds(facts),
    balanceOutcomes(facts),
    balancePublic(facts),
    balanceEvents(facts),
    balanceOrphans(facts),
    balanceDeliveries(facts),
    balanceRepeats(facts),
    ...facts.streams.map(balanceStream),
  ];
}

const finalPost = ['published', 'partial', 'failed', 'canceled'];
const finalResult = ['published', 'failed', 'canceled'];

/** Every accepted post has ended, in a status that its targets bear out. */
function balanceEnds({ accepted, stored, open }: Facts): Book {
  const byId = new Map(stored.map((post) => [post.id, post]));
  const late: string[] = [];
  const differences = accepted.flatMap(({ name, id, isExcused, hasClient }) => {
    const post = byId.get(id);
    if (!post) return isExcused ? [] : [`${name} (${id}) was accepted and is gone`];
    const statuses = post.results.map(({ status }) => status);
    if (!finalPost.includes(post.status) || !statuses.every((one) => finalResult.includes(one))) {
      const isDrafted = post.status === 'draft' && hasClient;
      const { isLost, why } = isDrafted ? followed : (open.get(id) ?? nothing);
      const line = `${name} (${id}), ${post.status} [${statuses.join(', ')}]: ${why}`;
      if (!isLost) late.push(line);
      return isLost ? [`lost: ${line}`] : [];
    }
    return post.status === statusOf(statuses)
      ? []
      : [`${name} (${id}) says ${post.status} of [${statuses.join(', ')}]`];
  });
  return { name: 'accepted posts have ended', entries: accepted.length, differences, late };
}

/** The verdict on a draft that its client will publish. */
const followed: Verdict = { isLost: false, why: 'its client still follows it' };
/** The verdict on work that has not ended, although no work was open when the time was up. */
const nothing: Verdict = { isLost: true, why: 'nothing is under way' };

function statusOf(results: string[]): string {
  const ended = results.filter((status) => status !== 'canceled');
  if (ended.length === 0) return 'canceled';
  if (ended.every((status) => status === 'published')) return 'published';
  return ended.every((status) => status === 'failed') ? 'failed' : 'partial';
}

/** Each target has ended as its network had it end. */
function balanceOutcomes({ accepted, stored, published }: Facts): Book {
  const publicIds = new Set(published.map(({ reference }) => reference));
  const byId = new Map(stored.map((post) => [post.id, post]));
  let entries = 0;
  const late: string[] = [];
  const differences = accepted.flatMap(({ name, id, ends, wasCanceled, wasRestored, hasClient }) =>
    (byId.get(id)?.results ?? []).flatMap((result, i) => {
      if (!finalResult.includes(result.status)) return [];
      entries++;
      if (result.status === 'canceled' ? wasCanceled : isAllowed(result, ends[i])) return [];
      const isAbsent = result.errorCode === 'outcome_unknown' && !publicIds.has(result.id);
      if (wasRestored && isAbsent) return [];
      const said = [result.status, result.errorCode].filter(Boolean).join(' ');
      const line = `${name}, target ${i} (${result.id}): ${said}, where its network had it ${ends[i]}`;
      if (!hasClient || result.errorCode !== 'unavailable') return [line];
      late.push(`${line}, and its client has not retried it yet`);
      return [];
    }),
  );
  return { name: 'targets have ended as their networks say', entries, differences, late };
}

function isAllowed({ status, errorCode }: StoredResult, end: TargetEnd | undefined): boolean {
  switch (end) {
    case 'published':
      return status === 'published';
    case 'failed':
      return status === 'failed' && errorCode !== 'outcome_unknown';
    case 'uncertain':
      return status === 'failed' && errorCode === 'outcome_unknown';
    case 'published or failed':
      return status === 'published' || status === 'failed';
    case undefined:
      return false;
  }
}

/** A published target is public once, a failed or canceled one is not public, and no target is public twice. */
function balancePublic({ accepted, stored, published }: Facts): Book {
  const byReference = Map.groupBy(published, ({ reference }) => reference);
  const differences: string[] = [];
  for (const [reference, posts] of byReference) {
    if (posts.length > 1) differences.push(`result ${reference} is public ${posts.length} times`);
  }
  const names = new Map(accepted.map((post) => [post.id, post]));
  for (const { id, results } of stored) {
    const { name = id, notBefore } = names.get(id) ?? {};
    for (const result of results) {
      const posts = byReference.get(result.id) ?? [];
      const [first] = posts;
      const isUnknown = result.errorCode === 'outcome_unknown';
      if (result.status === 'published' && !posts.some((post) => post.id === result.externalId)) {
        differences.push(`${name}: result ${result.id} says published and is not public`);
      }
      if (/failed|canceled/.test(result.status) && !isUnknown && first) {
        differences.push(`${name}: result ${result.id} says ${result.status} and is public`);
      }
      if (notBefore && first && first.createdAt < notBefore) {
        const ms = notBefore.getTime() - first.createdAt.getTime();
        differences.push(`${name}: result ${result.id} was public ${ms} ms early`);
      }
    }
  }
  return { name: 'public exactly where they say so', entries: published.length, differences };
}

/** How late the latest target of a scheduled post was public, among those that nothing held up. */
export function findLatestMs({ accepted, stored, published }: Facts): number {
  const byReference = new Map(published.map((post) => [post.reference, post]));
  const byId = new Map(stored.map((post) => [post.id, post]));
  const late = accepted.flatMap(({ id, notBefore, isPrompt }) =>
    (byId.get(id)?.results ?? []).map((result, i) => {
      const post = notBefore && isPrompt[i] ? byReference.get(result.id) : undefined;
      return post ? post.createdAt.getTime() - notBefore!.getTime() : 0;
    }),
  );
  return Math.max(0, ...late);
}

/** Each conclusion of a post is recorded as one event, and the last one says how it ended. */
function balanceEvents({ accepted, stored, events }: Facts): Book {
  const byPost = Map.groupBy(events, ({ postId }) => postId);
  const byId = new Map(stored.map((post) => [post.id, post]));
  const differences = accepted.flatMap(({ name, id, retries }) => {
    const { status = 'canceled' } = byId.get(id) ?? {};
    if (status === 'canceled' || !finalPost.includes(status)) return [];
    const kinds = (byPost.get(id) ?? []).map(({ kind }) => kind);
    if (kinds.at(-1) === `post.${status}` && kinds.length <= 1 + retries) return [];
    return [`${name} (${id}) is ${status} after ${retries} retries: [${kinds.join(', ')}]`];
  });
  return { name: 'ends are recorded as events', entries: events.length, differences };
}

const attemptsInAll = 4;

/** Each event reached each receiver of its project alone, signed, or was refused as often as it was due. */
function balanceDeliveries(facts: Facts): Book {
  const { events, webhooks, deliveries, receipts, attempts, open } = facts;
  const attemptsOf = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
  const byKey = new Map(deliveries.map((one) => [`${one.eventId} ${one.webhookId}`, one]));
  const byDelivery = Map.groupBy(receipts, ({ deliveryId }) => deliveryId);
  const differences: string[] = [];
  const late: string[] = [];
  for (const event of events) {
    for (const webhook of webhooks) {
      const delivery = byKey.get(`${event.id} ${webhook.id}`);
      if (webhook.projectId !== event.projectId) {
        if (delivery)
          differences.push(`event ${event.id} went to ${webhook.id} of another project`);
        continue;
      }
      const received = (delivery && byDelivery.get(delivery.id)) ?? [];
      const recorded = (delivery && attemptsOf.get(delivery.id)) ?? [];
      const fault = faultOf(event, delivery, received, recorded);
      if (!fault) continue;
      const line = `event ${event.id} for ${webhook.id} ${delivery?.id}: ${fault}`;
      const { isLost, why } = (fault === notEnded && open.get(delivery!.id)) || nothing;
      if (fault !== notEnded) differences.push(line);
      else if (isLost) differences.push(`lost: ${line}: ${why}`);
      else late.push(`${line}: ${why}`);
    }
  }
  return { name: 'events were delivered', entries: deliveries.length, differences, late };
}

const notEnded = 'has not ended';

function faultOf(
  event: StoredEvent,
  delivery: StoredDelivery | undefined,
  received: Receipt[],
  recorded: StoredAttempt[],
): string | undefined {
  if (!delivery) return 'there is no delivery';
  if (received.some(({ isSigned }) => !isSigned)) return 'a signature is wrong';
  if (received.some(({ body }) => body !== event.body)) return 'a body is not the recorded one';
  const wasTaken = received.some(isTaken);
  switch (delivery.status) {
    case 'delivered':
      return wasTaken ? undefined : 'says delivered, and its receiver did not take it';
    case 'failed':
      if (wasTaken || received.length >= attemptsInAll) return undefined;
      if (isExplained(received, recorded)) return undefined;
      return `says failed after ${received.length} requests and ${recorded.length} attempts`;
    default:
      return notEnded;
  }
}

/** An attempt that timed out on a busy machine may never have reached its receiver. */
function isExplained(received: Receipt[], recorded: StoredAttempt[]): boolean {
  const answered = recorded.filter(({ statusCode }) => statusCode !== null);
  return recorded.length >= attemptsInAll && answered.length <= received.length;
}

/** Every recorded change came once and in order. */
function balanceStream({ name, received, recorded, isMoving }: Stream): Book {
  const differences: string[] = [];
  const late: string[] = [];
  const at = recorded.findIndex((change, i) => received[i] !== change);
  if (at >= 0) {
    const due = `${recorded[at]}, number ${at + 1} of ${recorded.length}`;
    const isLate = isMoving && received.length === at;
    (isLate ? late : differences).push(`received ${received[at] ?? 'nothing'} where ${due} is due`);
  } else if (received.length > recorded.length) {
    differences.push(`received ${received[recorded.length]}, which is not recorded`);
  }
  return { name: `stream: ${name}`, entries: received.length, differences, late };
}
