// Yoga plugin: executes a message once for all streams that select the same fields.
import {
  createSourceEventStream,
  executeSubscriptionEvent,
  visit,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type ValidatedSubscriptionArgs,
  validateSubscriptionArgs,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { createKeyedCounter } from '../../../activities/keyed-limits.ts';
import type { GraphqlContext } from '../context.ts';

type Results = AsyncGenerator<ExecutionResult, void, void>;
type Execute = (message: object) => Promise<ExecutionResult>;

export function useSharedResults(): Plugin<GraphqlContext> {
  const shareKeyOf = createShareKeys();
  /**
   * The results of each message, by share key. They may be big, so they are kept only while a change
   * reaches the streams. A slow stream that comes later executes again.
   */
  const shared = new LRUCache<object, Map<string, Promise<ExecutionResult>>>({
    max: 500,
    ttl: 1_000,
    ttlAutopurge: true,
  });
  /** How many streams have a share key. The results of a single one aren't kept. */
  const streamCounts = createKeyedCounter();

  function executeOnce(message: object, shareKey: string, execute: Execute) {
    const results = shared.get(message) ?? new Map<string, Promise<ExecutionResult>>();
    shared.set(message, results);
    const known = results.get(shareKey);
    if (known) return known;
    const result = execute(message);
    results.set(shareKey, result);
    // A failure may be temporary, so the next stream executes again.
    const forget = () => results.delete(shareKey);
    result.then(({ errors }) => errors && forget(), forget);
    return result;
  }

  function shareResults(args: ValidatedSubscriptionArgs, source: AsyncIterable<unknown>): Results {
    const messages = source[Symbol.asyncIterator]();
    const { ended } = args.contextValue as GraphqlContext;
    const shareKey = shareKeyOf(args);
    let hasLeft = false;

    const execute: Execute = async (message) => {
      // Each message gets its own context, so that its fields are read anew.
      const contextValue = { ...(args.contextValue as GraphqlContext) };
      return executeSubscriptionEvent({ ...args, rootValue: message, contextValue });
    };

    async function next(): Promise<IteratorResult<ExecutionResult, void>> {
      const { done, value } = await messages.next();
      if (done) return end();
      const isAlone = streamCounts.get(shareKey) === 1;
      const message = value as object;
      const result = isAlone ? execute(message) : executeOnce(message, shareKey, execute);
      return { done: false, value: await result };
    }

    async function end(): Promise<IteratorResult<ExecutionResult, void>> {
      if (!hasLeft) {
        hasLeft = true;
        streamCounts.remove(shareKey);
        ended?.removeEventListener('abort', leave);
        await messages.return?.();
      }
      return { done: true, value: undefined };
    }

    const leave = () => void end();
    streamCounts.add(shareKey);
    // The client may have left while the stream was opened.
    if (ended?.aborted) leave();
    else ended?.addEventListener('abort', leave, { once: true });

    return {
      next,
      return: end,
      async throw(error) {
        await end();
        throw error;
      },
      [Symbol.asyncIterator]() {
        return this;
      },
      async [Symbol.asyncDispose]() {
        await end();
      },
    };
  }

  return {
    onSubscribe({ subscribeFn, setSubscribeFn }) {
      setSubscribeFn(async (args: ExecutionArgs) => {
        const validated = validateSubscriptionArgs(args);
        // For an invalid request, graphql-js makes the same errors as for a query.
        if (!('schema' in validated)) return subscribeFn(args);
        const source = await createSourceEventStream(validated);
        return isAsyncIterable(source) ? shareResults(validated, source) : source;
      });
    },
  };
}

/** Streams with the same share key get the same result for the same message. */
function createShareKeys(): (args: ValidatedSubscriptionArgs) => string {
  const known = new WeakMap<DocumentNode, { number: number; variables: string[] }>();
  let documents = 0;

  return ({ document, operation, contextValue, variableValues }) => {
    const found = known.get(document) ?? {
      number: documents++,
      variables: listVariables(document),
    };
    known.set(document, found);
    const { caller } = contextValue as GraphqlContext;
    const values = found.variables.map((name) => variableValues.coerced[name]);
    return JSON.stringify([found.number, operation.name?.value, caller?.keyId, values]);
  };
}

/** The variables that the fields of a message depend on. */
function listVariables(document: DocumentNode): string[] {
  const names = new Set<string>();
  for (const definition of document.definitions) {
    visit(definition, {
      VariableDefinition: () => false,
      // The stream's own arguments select messages, but don't change their content.
      Argument: (_node, _key, _parent, path) =>
        definition.kind === 'OperationDefinition' && path.length === rootArgumentDepth
          ? false
          : undefined,
      Variable: ({ name }) => void names.add(name.value),
    });
  }
  return [...names];
}

/** Length of a root argument's path: selectionSet, selections, index, arguments, index. */
const rootArgumentDepth = 5;
