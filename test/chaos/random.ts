// Random numbers that a seed repeats: each purpose has a sequence of its own.

export interface Random {
  /** From 0 to 1, without 1. */
  fraction(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

export function createRandom(seed: number, purpose: string): Random {
  let state = seed;
  for (const character of purpose) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193);

  // mulberry32
  function fraction(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const between = (least: number, most: number) =>
    least + Math.floor(fraction() * (most - least + 1));
  const pick = <T>(items: readonly T[]) => items[between(0, items.length - 1)]!;

  function shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = between(0, i);
      [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
    }
    return shuffled;
  }

  return { fraction, between, pick, shuffle };
}
