// Shapes that several resources share in GraphQL: enums of wire words, and common arguments.
import { z } from 'zod';
import { builder } from './builder.ts';
import { toEnumWord } from '../../schema/wire/enum-word.ts';

/** An enum whose values are the wire's words: `post.published` is `POST_PUBLISHED`. */
export function wordEnum<const Word extends string>(
  name: string,
  words: readonly Word[],
  descriptions: Partial<Record<Word, string>> & { enum?: string } = {},
) {
  const values = words.map((word) => {
    const description = descriptions[word];
    const value = { value: word, ...(description === undefined ? {} : { description }) };
    return [toEnumWord(word), value] as const;
  });
  return builder.enumType(name, {
    ...(descriptions.enum === undefined ? {} : { description: descriptions.enum }),
    values: Object.fromEntries(values),
  });
}

/** The argument of everything that is one thing. */
export const idArguments = builder.args((t) => ({ id: t.id({ required: true }) }));

/** The argument of a mutation that must not be done twice. */
export const idempotencyArguments = builder.args((t) => ({
  idempotencyKey: t.string({
    description: 'The same call with the same key within 24 h gets the first answer again.',
  }),
}));

/** The input of a mutation that takes none. */
export const noInput = z.strictObject({});
