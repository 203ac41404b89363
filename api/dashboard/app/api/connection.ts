// Whether the server answers, and the signal after it was gone.

type Listener = () => void;

let isLost = false;
const watchers = new Set<Listener>();
const returns = new Set<Listener>();

export const connection = {
  isLost: () => isLost,
  /** For `useSyncExternalStore`. */
  watch(listener: Listener): () => void {
    watchers.add(listener);
    return () => void watchers.delete(listener);
  },
  /** Calls the listener whenever the server answers again. */
  onReturn(listener: Listener): () => void {
    returns.add(listener);
    return () => void returns.delete(listener);
  },
  set(lost: boolean): void {
    if (lost === isLost) return;
    isLost = lost;
    for (const listener of watchers) listener();
    if (!lost) for (const listener of returns) listener();
  },
};
