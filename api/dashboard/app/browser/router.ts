// The address of the page. The History API is enough: paths with one ID at most, and filters in the query.
import { useCallback, useSyncExternalStore, type MouseEvent } from 'react';

export const base = '/dashboard';
const changed = 'fanfare:address';

function watch(listener: () => void): () => void {
  for (const event of ['popstate', changed]) addEventListener(event, listener);
  return () => {
    for (const event of ['popstate', changed]) removeEventListener(event, listener);
  };
}

/** `path` is below `/dashboard`, and begins with `/`. */
export function navigate(path: string, { isReplacing = false } = {}): void {
  const url = `${base}${path}`;
  if (url === location.pathname + location.search) return;
  history[isReplacing ? 'replaceState' : 'pushState'](null, '', url);
  if (!isReplacing) scrollTo(0, 0);
  dispatchEvent(new Event(changed));
}

/** The path below `/dashboard`, without its query. */
export function usePath(): string {
  return useSyncExternalStore(
    watch,
    () => location.pathname.slice(base.length).replace(/\/$/, '') || '/',
  );
}

export type Query = Readonly<Record<string, string>>;

interface Changing {
  /** The history keeps no step for the change, such as for words that are being typed. */
  isReplacing?: boolean;
}

/** The filters in the address, and a function that replaces some of them. An empty value removes one. */
export function useFilters(): [
  Query,
  (changes: Record<string, string>, changing?: Changing) => void,
] {
  const search = useSyncExternalStore(watch, () => location.search);
  const filters = Object.fromEntries(new URLSearchParams(search));
  const change = useCallback((changes: Record<string, string>, changing: Changing = {}) => {
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === '') next.delete(name);
      else next.set(name, value);
    }
    const path = location.pathname.slice(base.length);
    navigate(next.size === 0 ? path : `${path}?${next}`, changing);
  }, []);
  return [filters, change];
}

/** Follows a link without loading the page again. */
export function followLink(event: MouseEvent<HTMLAnchorElement>): void {
  const isPlain =
    event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!isPlain || event.defaultPrevented) return;
  event.preventDefault();
  navigate(event.currentTarget.getAttribute('href')!.slice(base.length) || '/');
}
