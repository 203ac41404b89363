// Enums whose values have meanings. OpenAPI shows them as `x-enumDescriptions`, GraphQL as descriptions.
// `x-enum` has the enum's own name and description, which a field can't override.
import { z } from 'zod';

export interface EnumIdentity {
  readonly name: string;
  readonly description: string;
}

type Meanings = Readonly<Record<string, string>>;

/** `name` is the name of the enum in both APIs. */
export function describedEnum<const Word extends string>(
  name: string,
  description: string,
  meanings: Readonly<Record<Word, string>>,
  error?: string,
) {
  const words = Object.keys(meanings) as Word[];
  return z.enum(words, error).meta({
    id: name,
    description,
    'x-enum': { name, description } satisfies EnumIdentity,
    'x-enumDescriptions': meanings,
  });
}

export function meaningsOf(schema: z.ZodType): Meanings {
  return (schema.meta()?.['x-enumDescriptions'] ?? {}) as Meanings;
}
