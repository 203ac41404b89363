// Threads: targets of one account, each of which replies to the one before.
import type { Issue } from '../../../schema/wire/errors.ts';
import type { Text } from '../../../schema/wire/names.ts';
import { error, type TargetIssue } from './target-issues.ts';
import type { RequestTarget } from './request-targets.ts';

/** An account must be named once, or as a thread whose positions count up by one. */
export function checkThreads(named: RequestTarget[]): TargetIssue[] {
  const byAccount = Map.groupBy(named, (target) => target.accountId);
  return [...byAccount.values()].flatMap(checkAccount);
}

/** The parts of each thread in order. Other targets keep their place. */
export function orderThreads<T>(
  targets: T[],
  accountOf: (target: T) => string,
  positionOf: (target: T) => number | null,
): T[] {
  const inOrder = targets.toSorted((a, b) => (positionOf(a) ?? 0) - (positionOf(b) ?? 0));
  const queues = Map.groupBy(inOrder, accountOf);
  return targets.map((target) => queues.get(accountOf(target))!.shift()!);
}

function checkAccount(parts: RequestTarget[]): TargetIssue[] {
  const placed = parts.filter((part) => positionOf(part) !== undefined);
  if (placed.length === 0) {
    const message: Text = ({ field }) =>
      `The account is named twice. To post a thread, give each part a ${field('thread_position')}.`;
    return parts
      .slice(1)
      .map((part) => error({ path: part.path, code: 'duplicate_account', message }, part));
  }
  const missing = parts
    .filter((part) => positionOf(part) === undefined)
    .map((part) => {
      const message: Text = ({ field }) =>
        `Every part of a thread needs a ${field('thread_position')}.`;
      return atPosition(part, { code: 'thread_position_missing', message });
    });
  return [...missing, ...checkParts(placed.toSorted((a, b) => positionOf(a)! - positionOf(b)!))];
}

function checkParts(parts: RequestTarget[]): TargetIssue[] {
  return parts.flatMap((part, i) => {
    const before = parts[i - 1];
    return before ? checkLater(part, before) : checkFirst(part);
  });
}

function checkFirst(part: RequestTarget): TargetIssue[] {
  const actual = positionOf(part)!;
  if (actual <= 1) return [];
  const message = 'A thread must begin with part 0 or part 1.';
  return [atPosition(part, { code: 'thread_has_hole', message, actual })];
}

function checkLater(part: RequestTarget, before: RequestTarget): TargetIssue[] {
  const issues: TargetIssue[] = [];
  const [actual, last] = [positionOf(part)!, positionOf(before)!];
  if (actual === last) {
    const message = `The thread of this account has part ${actual} twice.`;
    issues.push(atPosition(part, { code: 'thread_position_repeated', message, actual }));
  } else if (actual > last + 1) {
    const message = `The thread of this account has no part ${last + 1}.`;
    issues.push(atPosition(part, { code: 'thread_has_hole', message, actual }));
  }
  if (part.own.in_reply_to !== undefined) {
    const message = 'Only the first part of a thread can reply to another post.';
    const path = [...part.at, 'in_reply_to'];
    issues.push(error({ path, code: 'not_first_of_thread', message }, part));
  }
  return issues;
}

function positionOf({ own }: RequestTarget): number | undefined {
  return own.thread_position;
}

function atPosition(part: RequestTarget, issue: Omit<Issue, 'path'>): TargetIssue {
  return error({ path: [...part.at, 'thread_position'], ...issue }, part);
}
