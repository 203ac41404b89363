// Reads data for a page, and keeps it current.
import type { AnyVariables, TypedDocumentNode } from '@urql/core';
import { useCallback, useEffect, useRef } from 'react';
import { useClient, useQuery } from 'urql';
import { connection } from './connection.ts';
import { toProblem, type Problem } from './problem.ts';
import { follow, keyOf, type Followed } from './streams.ts';

/** The first change is shown soon. Then data is read again at most this often, however many changes arrive. */
const soonMs = 200;
const rereadMs = 2_000;

export interface Data<Result> {
  data: Result | undefined;
  problem: Problem | undefined;
  isLoading: boolean;
  reload(): void;
}

interface DataOptions {
  /** How often streams have the query read again, at most. */
  againMs?: number;
  /** For a form, which keeps what it was opened with: what the cache has is not shown. */
  isFresh?: boolean;
  /** Nothing is read, such as without the scope. */
  isPaused?: boolean;
}

/** `streams` feed the cache, and have the query read again. Pass constants, or the same object each time. */
export function useData<Result, Variables extends AnyVariables>(
  query: TypedDocumentNode<Result, Variables>,
  variables: Variables,
  streams: readonly Followed[] = [],
  { againMs = rereadMs, isFresh = false, isPaused = false }: DataOptions = {},
): Data<Result> {
  const client = useClient();
  const [{ data, error, fetching, stale }, execute] = useQuery({
    query,
    variables,
    pause: isPaused,
    requestPolicy: isFresh ? 'network-only' : 'cache-and-network',
  });
  const reread = useRef<() => unknown>(() => {});
  reread.current = () => isPaused || execute({ requestPolicy: 'network-only' });
  const reload = useCallback(() => void reread.current(), []);
  useEffect(() => connection.onReturn(reload), [reload]);

  const key = isPaused ? '' : streams.map(keyOf).join('\n');
  useEffect(() => {
    if (key === '') return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastAt = -againMs;
    const later = () => {
      const waitMs = Math.max(soonMs, lastAt + againMs - performance.now());
      timer ??= setTimeout(() => {
        timer = undefined;
        lastAt = performance.now();
        reread.current();
      }, waitMs);
    };
    const ends = streams.map((stream) =>
      follow(client, stream, {
        onOpen: () => reread.current(),
        onUpdate: ({ change }) => change !== 'bookmark' && later(),
      }),
    );
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
    };
    // The key has all that matters of the streams.
  }, [client, key, againMs]);

  // What was shown stays while the server is gone, or while other variables are read.
  const last = useRef<Result | undefined>(undefined);
  if (data !== undefined && data !== null) last.current = data;
  return {
    data: data ?? (error || fetching ? last.current : undefined),
    problem: error && toProblem(error),
    isLoading: fetching || stale,
    reload,
  };
}
