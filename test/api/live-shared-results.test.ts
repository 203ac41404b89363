// Streams that tell the same in the same way: executed once for all of them, and never shared beyond that.
import { createSchema, createYoga } from 'graphql-yoga';
import type { ExecutionResult } from 'graphql';
import { beforeEach, describe, expect, test } from 'vitest';
import { useSharedResults } from '../../api/live/use-shared-results.ts';

interface Message {
  text: string;
}

let executed = 0;
let contexts: unknown[] = [];
let ended = 0;
let messages: Message[] = [];

beforeEach(() => {
  executed = 0;
  contexts = [];
  ended = 0;
  messages = [{ text: 'one' }, { text: 'two' }];
});

/** Tells all messages, then waits for ever. */
function tell(): AsyncIterableIterator<Message> {
  let next = 0;
  const waiting = Promise.withResolvers<IteratorResult<Message>>();
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

const yoga = createYoga<{ caller?: { keyId: string } }>({
  schema: createSchema<{ caller?: { keyId: string } }>({
    typeDefs: `
      type Query { isUp: Boolean }
      type Told { text(upper: Boolean): String  fails: String }
      type Subscription { told(after: String): Told }
    `,
    resolvers: {
      Subscription: {
        told: {
          subscribe: (_: unknown, { after }: { after?: string }) => {
            if (after === 'bad') throw new Error('no such place');
            return tell();
          },
          resolve: (message: Message) => message,
        },
      },
      Told: {
        text: ({ text }: Message, { upper }: { upper?: boolean }, context: unknown) => {
          executed++;
          contexts.push(context);
          return upper ? text.toUpperCase() : text;
        },
        fails: () => {
          throw new Error('it does');
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
): Promise<AsyncGenerator<ExecutionResult> | ExecutionResult> {
  const { schema, parse, subscribe, contextFactory } = yoga.getEnveloped({ caller: { keyId } });
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

const plain = 'subscription { told { text } }';

describe('streams of one message', () => {
  test('are executed once where they ask for the same', async () => {
    const [first, second] = await Promise.all([take(plain), take(plain)]);
    expect(first).toEqual([
      { data: { told: { text: 'one' } } },
      { data: { told: { text: 'two' } } },
    ]);
    expect(second).toEqual(first);
    expect(executed).toBe(2);
  });

  test('share it wherever they began', async () => {
    const query = 'subscription ($after: String) { told(after: $after) { text } }';
    await Promise.all([take(query, { after: 'x' }), take(query, { after: 'y' })]);
    expect(executed).toBe(2);
  });

  test('share nothing where a variable, the document or the key differs', async () => {
    const query = 'subscription ($upper: Boolean) { told { text(upper: $upper) } }';
    const [high, low] = await Promise.all([
      take(query, { upper: true }),
      take(query, { upper: false }),
      take(query, { upper: false }, 'key_b'),
      take(plain),
    ]);
    expect(high.map(({ data }) => data!['told'])).toEqual([{ text: 'ONE' }, { text: 'TWO' }]);
    expect(low.map(({ data }) => data!['told'])).toEqual([{ text: 'one' }, { text: 'two' }]);
    expect(executed).toBe(8);
  });

  test('give each message a context of its own', async () => {
    await take(plain);
    expect(new Set(contexts).size).toBe(2);
    expect(contexts).toMatchObject([
      { caller: { keyId: 'key_a' } },
      { caller: { keyId: 'key_a' } },
    ]);
  });

  test('all show what failed', async () => {
    const all = await Promise.all([1, 2].map(() => take('subscription { told { fails } }')));
    for (const [first] of all) {
      expect(first!.data).toEqual({ told: { fails: null } });
      expect(first!.errors).toMatchObject([{ message: 'it does', path: ['told', 'fails'] }]);
    }
  });
});

describe('a stream', () => {
  test('ends at once while it waits for a message', async () => {
    messages = [];
    const stream = (await open(plain)) as AsyncGenerator<ExecutionResult>;
    const waiting = stream.next();
    await stream.return(undefined);
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(ended).toBe(1);
  });

  test('that cannot begin says why, with its path', async () => {
    expect(await open('subscription { told(after: "bad") { text } }')).toMatchObject({
      errors: [{ message: 'no such place', path: ['told'] }],
    });
  });

  test('with a faulty variable is refused in the words that a query gets', async () => {
    const query = 'subscription ($after: String) { told(after: $after) { text } }';
    const { errors } = (await open(query, { after: 7 })) as ExecutionResult;
    expect(errors![0]!.message).toMatch(/^Variable "\$after" got invalid value 7/);
  });
});
