// Streams that select the same fields of a message share one execution, and nothing else.
import { createSchema, createYoga } from 'graphql-yoga';
import type { ExecutionResult } from 'graphql';
import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { useSharedResults } from '../../../api/graphql/server/use-shared-results.ts';

interface Message {
  text: string;
}

let executed = 0;
let contexts: unknown[] = [];
let ended = 0;
let messages: Message[] = [];
let isDown = false;
/** Each ends a source. */
let endings: (() => void)[] = [];

beforeEach(() => {
  isDown = false;
  endings = [];
  executed = 0;
  contexts = [];
  ended = 0;
  messages = [{ text: 'one' }, { text: 'two' }];
});

/** Sends all messages, then waits forever. */
function sendAll(): AsyncIterableIterator<Message> {
  let next = 0;
  const waiting = Promise.withResolvers<IteratorResult<Message>>();
  endings.push(() => waiting.resolve({ done: true, value: undefined }));
  return {
    next: () =>
      next < messages.length
        ? Promise.resolve({ done: false, value: messages[next++]! })
        : waiting.promise,
    return() {
      ended++;
      waiting.resolve({ done: true, value: undefined });
      return waiting.promise;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

interface State {
  caller?: { keyId: string };
  ended?: AbortSignal | undefined;
}

const yoga = createYoga<State>({
  schema: createSchema<State>({
    typeDefs: `
      type Query { isUp: Boolean }
      type Sample { text(upper: Boolean): String  fails: String  mayFail: String }
      type Subscription { sample(after: String): Sample }
    `,
    resolvers: {
      Subscription: {
        sample: {
          subscribe: (_: unknown, { after }: { after?: string }) => {
            if (after === 'bad') throw new Error('no such place');
            return sendAll();
          },
          resolve: (message: Message) => message,
        },
      },
      Sample: {
        text: ({ text }: Message, { upper }: { upper?: boolean }, context: unknown) => {
          executed++;
          contexts.push(context);
          return upper ? text.toUpperCase() : text;
        },
        fails: () => {
          throw new Error('it does');
        },
        mayFail: ({ text }: Message) => {
          if (isDown) throw new Error('it is down');
          return text;
        },
      },
    },
  }),
  plugins: [useSharedResults()],
  maskedErrors: false,
});

async function open(
  query: string,
  variableValues: Record<string, unknown> = {},
  keyId = 'key_a',
  gone?: AbortSignal,
): Promise<AsyncGenerator<ExecutionResult> | ExecutionResult> {
  const state = { caller: { keyId }, ended: gone };
  const { schema, parse, subscribe, contextFactory } = yoga.getEnveloped(state);
  return subscribe({
    schema,
    document: parse(query),
    variableValues,
    contextValue: await contextFactory(),
  });
}

async function take(...given: Parameters<typeof open>): Promise<ExecutionResult[]> {
  const stream = (await open(...given)) as AsyncGenerator<ExecutionResult>;
  const taken: ExecutionResult[] = [];
  for (const _ of messages) taken.push((await stream.next()).value as ExecutionResult);
  await stream.return(undefined);
  return taken;
}

const plain = 'subscription { sample { text } }';

describe('streams of one message', () => {
  test('are executed once if they select the same fields', async () => {
    const [first, second] = await Promise.all([take(plain), take(plain)]);
    expect(first).toEqual([
      { data: { sample: { text: 'one' } } },
      { data: { sample: { text: 'two' } } },
    ]);
    expect(second).toEqual(first);
    expect(executed).toBe(2);
  });

  test('share the execution from any starting cursor', async () => {
    const query = 'subscription ($after: String) { sample(after: $after) { text } }';
    await Promise.all([take(query, { after: 'x' }), take(query, { after: 'y' })]);
    expect(executed).toBe(2);
  });

  test('share nothing if a variable, the document or the key differs', async () => {
    const query = 'subscription ($upper: Boolean) { sample { text(upper: $upper) } }';
    const [high, low] = await Promise.all([
      take(query, { upper: true }),
      take(query, { upper: false }),
      take(query, { upper: false }, 'key_b'),
      take(plain),
    ]);
    expect(high.map(({ data }) => data!['sample'])).toEqual([{ text: 'ONE' }, { text: 'TWO' }]);
    expect(low.map(({ data }) => data!['sample'])).toEqual([{ text: 'one' }, { text: 'two' }]);
    expect(executed).toBe(8);
  });

  test('give each message its own context', async () => {
    await take(plain);
    expect(new Set(contexts).size).toBe(2);
    expect(contexts).toMatchObject([
      { caller: { keyId: 'key_a' } },
      { caller: { keyId: 'key_a' } },
    ]);
  });

  test('all get the same failure', async () => {
    const all = await Promise.all([1, 2].map(() => take('subscription { sample { fails } }')));
    for (const [first] of all) {
      expect(first!.data).toEqual({ sample: { fails: null } });
      expect(first!.errors).toMatchObject([{ message: 'it does', path: ['sample', 'fails'] }]);
    }
  });
});

describe('the kept results', () => {
  const openOne = async (query: string) => (await open(query)) as AsyncGenerator<ExecutionResult>;
  const query = 'subscription { sample { mayFail } }';

  test('include no failure, so that a later stream tries again', async () => {
    isDown = true;
    const [first, second] = await Promise.all([openOne(query), openOne(query)]);
    for (const stream of [first, second]) {
      expect((await stream.next()).value.errors).toHaveLength(1);
    }
    isDown = false;
    const late = await openOne(query);
    expect((await late.next()).value).toEqual({ data: { sample: { mayFail: 'one' } } });
    await Promise.all([first, second, late].map((stream) => stream.return(undefined)));
  });

  test('include nothing of a stream that is not shared', async () => {
    const alone = await openOne(plain);
    await alone.next();
    await alone.next();
    const late = await openOne(plain);
    await late.next();
    expect(executed).toBe(3);
    await Promise.all([alone, late].map((stream) => stream.return(undefined)));
  });
});

describe('a stream', () => {
  test.each(['before', 'after'])('ends when its client leaves, %s it is open', async (when) => {
    const asking = new AbortController();
    if (when === 'before') asking.abort();
    const stream = await open(plain, {}, 'key_a', asking.signal);
    asking.abort();
    expect(ended).toBe(1);
    await (stream as AsyncGenerator<ExecutionResult>).return(undefined);
  });

  test('ends at once while it waits for a message', async () => {
    messages = [];
    const stream = (await open(plain)) as AsyncGenerator<ExecutionResult>;
    const waiting = stream.next();
    await stream.return(undefined);
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(ended).toBe(1);
  });

  test('keeps no listener on its client if it ends by itself', async () => {
    messages = [];
    const asking = new AbortController();
    const stream = await open(plain, {}, 'key_a', asking.signal);
    const read = (async () => {
      for await (const _ of stream as AsyncGenerator<ExecutionResult>);
    })();
    await vi.waitFor(() => expect(endings).toHaveLength(1));
    endings[0]!();
    await read;
    expect(getEventListeners(asking.signal, 'abort')).toEqual([]);
  });

  test('reports the reason and its path if it cannot start', async () => {
    expect(await open('subscription { sample(after: "bad") { text } }')).toMatchObject({
      errors: [{ message: 'no such place', path: ['sample'] }],
    });
  });

  test('gets the message of a query if a variable is invalid', async () => {
    const query = 'subscription ($after: String) { sample(after: $after) { text } }';
    const { errors } = (await open(query, { after: 7 })) as ExecutionResult;
    expect(errors![0]!.message).toMatch(/^Variable "\$after" got invalid value 7/);
  });
});
