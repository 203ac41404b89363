// Threads: targets of one account, each of which replies to the target before it.
import type { Issue } from '../../../schema/wire/errors.ts';
import type { Text } from '../../../schema/wire/names.ts';
import type { RequestTarget, TargetInput } from './request-targets.ts';
import { error, warning, type TargetIssue } from './target-issues.ts';

/** An account must be named once, or as a thread whose positions count up by one. */
export function checkThreads(named: RequestTarget[]): TargetIssue[] {
  const byAccount = Map.groupBy(named, (target) => target.accountId);
  return [...byAccount.values()].flatMap(checkAccount);
}

/**
 * Warns of two parts with the same text, because often a caption was forgotten, and many networks refuse such
 * a part.
 */
export function warnOfRepeats(named: RequestTarget[], input: TargetInput): TargetIssue[] {
  const seen = new Set<string>();
  return named.flatMap((target) => {
    if (target.own.thread_position === undefined) return [];
    const caption = target.own.caption ?? input.caption;
    const key = `${target.accountId} ${caption}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const message = 'Another part of this thread has the same text.';
    return [warning({ path: [...target.at, 'caption'], code: 'repeated_text', message }, target)];
  });
}

interface Placed {
  account: { id: string };
  threadPosition: number | null;
}

/** The parts of each thread in order. Other targets keep their place. */
export function orderThreads<T extends Placed>(targets: T[]): T[] {
  const inOrder = targets.toSorted((a, b) => (a.threadPosition ?? 0) - (b.threadPosition ?? 0));
  const queues = Map.groupBy(inOrder, ({ account }) => account.id);
  return targets.map(({ account }) => queues.get(account.id)!.shift()!);
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
