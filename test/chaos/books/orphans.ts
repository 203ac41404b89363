// The book of public posts that no result knows, so that no other book would miss their result.
import type { Book, Facts } from './records.ts';

/** Each public post belongs to a stored result, except those that a restored copy can't know. */
export function balanceOrphans({
  stored,
  published,
  lostWindows,
}: Pick<Facts, 'stored' | 'published' | 'lostWindows'>): Book {
  const known = new Set(stored.flatMap(({ results }) => results.map(({ id }) => id)));
  const isExcused = (at: Date) => lostWindows.some(({ from, to }) => at >= from && at <= to);
  const differences = published
    .filter(({ reference, createdAt }) => !known.has(reference) && !isExcused(createdAt))
    .map(({ id, reference }) => `post ${id} is public, and no result is ${reference || 'named'}`);
  return { name: 'public posts have a result', entries: published.length, differences };
}
