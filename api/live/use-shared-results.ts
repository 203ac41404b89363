// Yoga plugin: a message that many streams tell alike is executed once, however many they are.
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
import type { GraphqlContext } from '../graphql-context.ts';

type Results = AsyncGenerator<ExecutionResult, void, void>;

export function useSharedResults(): Plugin<GraphqlContext> {
  return {
    onSubscribe({ subscribeFn, setSubscribeFn }) {
      setSubscribeFn(async (args: ExecutionArgs) => {
        const validated = validateSubscriptionArgs(args);
        // What is wrong with the request, the engine says in its own words, as it does of queries.
        if (!('schema' in validated)) return subscribeFn(args);
        const source = await createSourceEventStream(validated);
        return isAsyncIterable(source) ? shareResults(validated, source) : source;
      });
    },
  };
}

/**
 * By what a stream tells, then by how it asks for it. Kept no longer than one change takes to reach the
 * streams, since a result may be big; a slow stream that comes later executes anew.
 */
const shared = new LRUCache<object, Map<string, Promise<ExecutionResult>>>({
  max: 500,
  ttl: 1_000,
  ttlAutopurge: true,
});

/** How many streams ask alike: what one alone asks for is shared with nobody. */
const streams = new Map<string, number>();

function shareResults(args: ValidatedSubscriptionArgs, source: AsyncIterable<unknown>): Results {
  const messages = source[Symbol.asyncIterator]();
  const { ended } = args.contextValue as GraphqlContext;
  const shareKey = shareKeyOf(args);
  let isEnded = false;

  function execute(message: object): Promise<ExecutionResult> {
    // A context of its own, so that nothing read for one message is kept for the next.
    const contextValue = { ...(args.contextValue as GraphqlContext) };
    return Promise.resolve(executeSubscriptionEvent({ ...args, rootValue: message, contextValue }));
  }

  function executeOnce(message: object): Promise<ExecutionResult> {
    const results = shared.get(message) ?? new Map<string, Promise<ExecutionResult>>();
    shared.set(message, results);
    const known = results.get(shareKey);
    if (known) return known;
    const result = execute(message);
    results.set(shareKey, result);
    // What has failed may succeed for the next one.
    void result.then(({ errors }) => errors && results.delete(shareKey));
    return result;
  }

  async function next(): Promise<IteratorResult<ExecutionResult, void>> {
    const message = await messages.next();
    if (message.done) return { done: true, value: undefined };
    const value = message.value as object;
    return {
      done: false,
      value: await (streams.get(shareKey) === 1 ? execute(value) : executeOnce(value)),
    };
  }

  async function end(): Promise<IteratorResult<ExecutionResult, void>> {
    if (!isEnded) leave(shareKey);
    isEnded = true;
    ended?.removeEventListener('abort', leaveNow);
    await messages.return?.();
    return { done: true, value: undefined };
  }

  const leaveNow = () => void end();
  streams.set(shareKey, (streams.get(shareKey) ?? 0) + 1);
  // Whoever asked may have gone while the stream was opened, and nobody else would end it then.
  if (ended?.aborted) leaveNow();
  else ended?.addEventListener('abort', leaveNow, { once: true });

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

function leave(shareKey: string): void {
  const left = streams.get(shareKey)! - 1;
  if (left === 0) streams.delete(shareKey);
  else streams.set(shareKey, left);
}

/** Streams that agree in this get the same result of the same message. */
function shareKeyOf(args: ValidatedSubscriptionArgs): string {
  const { number, variables } = dependenciesOf(args.document);
  const { caller } = args.contextValue as GraphqlContext;
  const values = variables.map((name) => args.variableValues.coerced[name]);
  return JSON.stringify([number, args.operation.name?.value, caller?.keyId, values]);
}

interface Dependencies {
  number: number;
  /** Those that a message's own fields depend on. */
  variables: string[];
}

const dependencies = new WeakMap<DocumentNode, Dependencies>();
let documents = 0;

function dependenciesOf(document: DocumentNode): Dependencies {
  const known = dependencies.get(document);
  if (known) return known;
  const names = new Set<string>();
  for (const definition of document.definitions) {
    visit(definition, {
      VariableDefinition: () => false,
      // Of the stream itself, such as where it begins: they choose the messages and change none.
      Argument: (_node, _key, _parent, path) =>
        definition.kind === 'OperationDefinition' && path.length === rootArgumentDepth
          ? false
          : undefined,
      Variable: ({ name }) => void names.add(name.value),
    });
  }
  const found = { number: documents++, variables: [...names] };
  dependencies.set(document, found);
  return found;
}

/** selectionSet, selections, index, arguments, index. */
const rootArgumentDepth = 5;
