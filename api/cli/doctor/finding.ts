// What a check of `doctor` found.

export interface Finding {
  name: string;
  /** `warning`: it works, but not for long, or not fully. */
  status: 'ok' | 'warning' | 'failed';
  message: string;
}

/** Returns nothing if there is nothing to check. Throws what failed. */
export type Check = () => Promise<Omit<Finding, 'name'> | undefined>;

export const ok = (message: string) => ({ status: 'ok', message }) as const;
export const warning = (message: string) => ({ status: 'warning', message }) as const;
