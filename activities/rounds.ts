// Gives each key its turn: a list in rounds, with at most one item of each key in a round.

/** The first items of all keys, then their second ones, and so on. Items keep their order in a round. */
export function toRounds<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const rounds: Item[][] = [];
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    const round = counts.get(key) ?? 0;
    counts.set(key, round + 1);
    (rounds[round] ??= []).push(item);
  }
  return rounds;
}
