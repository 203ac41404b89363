// Shapes that several resources share in GraphQL: enums and common arguments.
import { z } from 'zod';
import { ActorType, type Actor } from '../../schema/wire/actors.ts';
import { fixedLimits } from '../../schema/wire/limits.ts';
import { meaningsOf } from '../../schema/wire/described-enum.ts';
import { toEnumWord } from '../../schema/wire/enum-word.ts';
import { builder } from './builder.ts';

/**
 * The GraphQL enum with the same name and values as the wire's enum. `post.published` becomes
 * `POST_PUBLISHED`.
 */
export function wordEnum<Word extends string>(schema: z.ZodEnum<{ [W in Word]: W }>) {
  const { id, description } = schema.meta()!;
  const meanings = meaningsOf(schema);
  const values = schema.options.map((word) => {
    return [toEnumWord(word), { value: word, description: meanings[word]! }] as const;
  });
  return builder.enumType(id!, { description: description!, values: Object.fromEntries(values) });
}

export const ActorRef = builder.objectRef<Actor>('Actor').implement({
  fields: (t) => ({
    type: t.expose('type', { type: wordEnum(ActorType) }),
    // Caches take two objects with one `id` for the same object, and a key may have been renamed.
    actorId: t.exposeID('id', {
      nullable: true,
      description:
        'ID of the API key, or your ID of the user. Null for Fanfare itself, and if you gave the user no ID.',
    }),
    name: t.exposeString('name', { nullable: true }),
  }),
});

/** The argument of a field about one resource. */
export const idArguments = (resource: string) =>
  builder.args((t) => ({ id: t.id({ required: true, description: `ID of the ${resource}.` }) }));

/** The argument of a mutation that must not be repeated. */
export const idempotencyArguments = builder.args((t) => ({
  idempotencyKey: t.string({
    description: `Makes a repeat safe: the same call with the same key within ${fixedLimits.idempotencyHours} hours returns the first response.`,
  }),
}));

/** The schema of an input without fields. */
export const noInput = z.strictObject({});
