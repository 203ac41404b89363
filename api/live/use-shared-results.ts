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
import type { GraphqlContext } from '../graphql/context.ts';

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
const streamCounts = new Map<string, number>();

function shareResults(args: ValidatedSubscriptionArgs, source: AsyncIterable<unknown>): Results {
  const messages = source[Symbol.asyncIterator]();
  const { ended } = args.contextValue as GraphqlContext;
  const shareKey = shareKeyOf(args);
  let hasLeft = false;

  function execute(message: object): Promise<ExecutionResult> {
    // A context of its own, so that nothing read for one message is kept for the next.
    const contextValue = { ...(args.contextValue as GraphqlContext) };
    return Promise.resolve(executeSubscriptionEvent({ ...args, rootValue: message, contextValue }));
  }

  function executeOnce(message: object): Promise<ExecutionResult> {
    let results = shared.get(message);
    if (!results) shared.set(message, (results = new Map()));
    const known = results.get(shareKey);
    if (known) return known;
    const result = execute(message);
    results.set(shareKey, result);
    // What has failed may succeed for the next one.
    const forget = () => results.delete(shareKey);
    result.then(({ errors }) => errors && forget(), forget);
    return result;
  }

  async function next(): Promise<IteratorResult<ExecutionResult, void>> {
    const message = await messages.next();
    if (message.done) return end();
    const value = message.value as object;
    const isAlone = streamCounts.get(shareKey) === 1;
    return { done: false, value: await (isAlone ? execute(value) : executeOnce(value)) };
  }

  async function end(): Promise<IteratorResult<ExecutionResult, void>> {
    if (!hasLeft) {
      hasLeft = true;
      count(shareKey, -1);
      ended?.removeEventListener('abort', leave);
      await messages.return?.();
    }
    return { done: true, value: undefined };
  }

  const leave = () => void end();
  count(shareKey, 1);
  // Whoever asked may have gone while the stream was opened, and nobody else would end it then.
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

function count(shareKey: string, change: 1 | -1): void {
  const streams = (streamCounts.get(shareKey) ?? 0) + change;
  if (streams === 0) streamCounts.delete(shareKey);
  else streamCounts.set(shareKey, streams);
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
