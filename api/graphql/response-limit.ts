// Limits the text of one GraphQL response, whichever fields ask for it, because each copy costs memory and
// CPU time.
import {
  defaultFieldResolver,
  getNamedType,
  isIntrospectionType,
  isObjectType,
  type GraphQLSchema,
} from 'graphql';
import pLimit, { type LimitFunction } from 'p-limit';
import { validationError } from '../../schema/wire/errors.ts';
import type { GraphqlContext } from './context.ts';

/** Limit for one response, and for one message of a stream. */
const maxResponseCharacters = 4_194_304;
/** With more reads at once, many texts would be loaded before the first one is counted. */
const readsAtOnce = 4;
/** Shorter texts don't count, because the limits of the document bound their number. */
const shortText = 256;

interface Spending {
  leftCharacters: number;
  read: LimitFunction;
}

const spendings = new WeakMap<GraphqlContext, Spending>();

function spendingOf(graphql: GraphqlContext): Spending {
  const known = spendings.get(graphql);
  if (known) return known;
  const spending = { leftCharacters: maxResponseCharacters, read: pLimit(readsAtOnce) };
  spendings.set(graphql, spending);
  return spending;
}

/** Reads for a response, unless it has reached its limit. `read` must not wait for another limited read. */
export function readWithinLimit<T>(
  graphql: GraphqlContext,
  read: () => T | Promise<T>,
): Promise<T> {
  const spending = spendingOf(graphql);
  return spending.read(() => {
    if (spending.leftCharacters < 0) throw tooMuchText();
    return read();
  });
}

/** Counts the text of every field that returns text. */
export function limitResponses(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!['String', 'JSON'].includes(getNamedType(field.type).name)) continue;
      const { resolve = defaultFieldResolver } = field;
      field.resolve = (parent, args, graphql: GraphqlContext, info) => {
        const value: unknown = resolve(parent, args, graphql, info);
        if (!(value instanceof Promise)) return spend(graphql, value);
        return value.then((resolved) => spend(graphql, resolved));
      };
    }
  }
  return schema;
}

function spend<T>(graphql: GraphqlContext, value: T): T {
  const characters = countCharacters(value);
  if (characters <= shortText) return value;
  const spending = spendingOf(graphql);
  spending.leftCharacters -= characters;
  if (spending.leftCharacters < 0) throw tooMuchText();
  return value;
}

function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let characters = 0;
  for (const [name, member] of Object.entries(value)) {
    characters += name.length + countCharacters(member);
  }
  return characters;
}

function tooMuchText() {
  const message = `asks for more than ${maxResponseCharacters} characters of text. Ask for fewer items.`;
  return validationError([{ path: ['query'], code: 'response_too_large', message }]);
}
