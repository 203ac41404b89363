// Waits for work, but only for a limited time.

/** Undefined: the work takes longer, and continues. */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, timeoutMs, undefined);
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
