// What a row of the bench measures, and the two figures that samples are read by.

export interface Result {
  readonly id: string;
  readonly value: number;
  readonly unit: string;
  /** What it is measured against, in the same unit and run; null: nothing. */
  readonly baseline: number | null;
  readonly ratio: number | null;
  readonly samples: readonly number[];
  /** Further figures by name: percentiles, the machine's load. */
  readonly details: Readonly<Record<string, number>>;
}

export interface Row {
  readonly id: string;
  readonly title: string;
  run(progress: (line: string) => void): Promise<Result>;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Nearest rank. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(Math.ceil((percent / 100) * sorted.length) - 1, 0)] ?? Number.NaN;
}
