// Threads: the targets of one account, each of which answers the one before.
import type { Issue } from '../../../schema/wire/errors.ts';
import { fault, type Finding } from './findings.ts';
import type { NamedTarget } from './named-targets.ts';

/** An account is named once, or as a thread whose positions count up by one. */
export function checkThreads(named: NamedTarget[]): Finding[] {
  const byAccount = Map.groupBy(named, (target) => target.accountId);
  return [...byAccount.values()].flatMap(checkAccount);
}

/** The parts of each account in the order of its thread; whoever isn't in one keeps its place. */
export function orderThreads<T>(
  targets: T[],
  accountOf: (target: T) => string,
  positionOf: (target: T) => number | null,
): T[] {
  const inOrder = targets.toSorted((a, b) => (positionOf(a) ?? 0) - (positionOf(b) ?? 0));
  const queues = Map.groupBy(inOrder, accountOf);
  return targets.map((target) => queues.get(accountOf(target))!.shift()!);
}

function checkAccount(parts: NamedTarget[]): Finding[] {
  const placed = parts.filter((part) => positionOf(part) !== undefined);
  if (placed.length === 0) {
    const message =
      'The account is named twice. To post a thread, give each of its parts a `thread_position`.';
    return parts
      .slice(1)
      .map((part) => fault({ path: part.path, code: 'duplicate_account', message }, part));
  }
  const missing = parts
    .filter((part) => positionOf(part) === undefined)
    .map((part) => {
      const message = 'Every part of a thread needs its `thread_position`.';
      return atPosition(part, { code: 'thread_position_missing', message });
    });
  return [...missing, ...checkParts(placed.toSorted((a, b) => positionOf(a)! - positionOf(b)!))];
}

function checkParts(parts: NamedTarget[]): Finding[] {
  return parts.flatMap((part, i) => {
    const before = parts[i - 1];
    return before ? checkLater(part, before) : checkFirst(part);
  });
}

function checkFirst(part: NamedTarget): Finding[] {
  const actual = positionOf(part)!;
  if (actual <= 1) return [];
  const message = 'A thread begins with part 0 or part 1.';
  return [atPosition(part, { code: 'thread_has_hole', message, actual })];
}

function checkLater(part: NamedTarget, before: NamedTarget): Finding[] {
  const findings: Finding[] = [];
  const [actual, last] = [positionOf(part)!, positionOf(before)!];
  if (actual === last) {
    const message = `The thread of this account has part ${actual} twice.`;
    findings.push(atPosition(part, { code: 'thread_position_repeated', message, actual }));
  } else if (actual > last + 1) {
    const message = `The thread of this account has no part ${last + 1}.`;
    findings.push(atPosition(part, { code: 'thread_has_hole', message, actual }));
  }
  if (part.own.in_reply_to !== undefined) {
    const message = 'Only the first part of a thread may answer another post.';
    const path = `${part.at}in_reply_to`;
    findings.push(fault({ path, code: 'not_first_of_thread', message }, part));
  }
  return findings;
}

function positionOf({ own }: NamedTarget): number | undefined {
  return own.thread_position;
}

function atPosition(part: NamedTarget, issue: Omit<Issue, 'path'>): Finding {
  return fault({ path: `${part.at}thread_position`, ...issue }, part);
}
