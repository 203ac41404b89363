// Calls that simultaneous requests share, such as one to a network whose answer is then kept.

/** A call with a key that is in progress answers further callers too. */
export type ShareCall = <T>(key: string, call: () => Promise<T>) => Promise<T>;

export function createSharedCalls(): ShareCall {
  const running = new Map<string, Promise<unknown>>();
  return <T>(key: string, call: () => Promise<T>): Promise<T> => {
    const begun = running.get(key) ?? call().finally(() => running.delete(key));
    running.set(key, begun);
    return begun as Promise<T>;
  };
}
