// Drops states of posts that are older than one that has already been shown.
import type { Exchange, Operation, OperationResult } from '@urql/core';
import { filter, pipe } from 'wonka';

/** The highest revision of each post. Bounded, since a day of live posts is long. */
const maxPosts = 5_000;

export function createRevisionExchange(): Exchange {
  const known = new Map<string, number>();

  function keep(id: string, revision: number): boolean {
    const last = known.get(id) ?? 0;
    if (revision < last) return false;
    known.delete(id);
    known.set(id, revision);
    if (known.size > maxPosts) known.delete(known.keys().next().value!);
    return true;
  }

  return ({ forward, client }) =>
    (operations) =>
      pipe(
        forward(operations),
        filter((result) => {
          if (isCurrent(result.data, keep)) return true;
          // A message of a stream is followed by the newer one. A query asks again.
          if (result.operation.kind === 'query') client.reexecuteOperation(networkOnly(result));
          return result.operation.kind === 'mutation';
        }),
      );
}

function isCurrent(value: unknown, keep: (id: string, revision: number) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const { __typename, id, revision } = value as Record<string, unknown>;
  const isOlder =
    __typename === 'Post' &&
    typeof id === 'string' &&
    typeof revision === 'number' &&
    !keep(id, revision);
  return !isOlder && Object.values(value).every((member) => isCurrent(member, keep));
}

function networkOnly({ operation }: OperationResult): Operation {
  return { ...operation, context: { ...operation.context, requestPolicy: 'network-only' } };
}
