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

/** By what a stream tells, then by how it asks for it. A slow stream that comes later executes anew. */
const shared = new LRUCache<object, Map<string, Promise<ExecutionResult>>>({ max: 500 });

function shareResults(args: ValidatedSubscriptionArgs, source: AsyncIterable<unknown>): Results {
  const messages = source[Symbol.asyncIterator]();
  const way = nameWay(args);

  function execute(message: object): Promise<ExecutionResult> {
    const results = shared.get(message) ?? new Map<string, Promise<ExecutionResult>>();
    shared.set(message, results);
    const known = results.get(way);
    if (known) return known;
    // A context of its own, so that nothing read for one message is kept for the next.
    const contextValue = { ...(args.contextValue as GraphqlContext) };
    const result = Promise.resolve(
      executeSubscriptionEvent({ ...args, rootValue: message, contextValue }),
    );
    results.set(way, result);
    return result;
  }

  async function next(): Promise<IteratorResult<ExecutionResult, void>> {
    const message = await messages.next();
    if (message.done) return { done: true, value: undefined };
    return { done: false, value: await execute(message.value as object) };
  }

  async function end(): Promise<IteratorResult<ExecutionResult, void>> {
    await messages.return?.();
    return { done: true, value: undefined };
  }

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

/** Streams that agree in this get the same result of the same message. */
function nameWay(args: ValidatedSubscriptionArgs): string {
  const { number, variables } = describe(args.document);
  const { caller } = args.contextValue as GraphqlContext;
  const values = variables.map((name) => args.variableValues.coerced[name]);
  return JSON.stringify([number, args.operation.name?.value, caller?.keyId, values]);
}

interface Description {
  number: number;
  /** Those that a message's own fields depend on. */
  variables: string[];
}

const descriptions = new WeakMap<DocumentNode, Description>();
let described = 0;

function describe(document: DocumentNode): Description {
  const known = descriptions.get(document);
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
  const description = { number: described++, variables: [...names] };
  descriptions.set(document, description);
  return description;
}

/** selectionSet, selections, index, arguments, index. */
const rootArgumentDepth = 5;
