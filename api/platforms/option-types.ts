// GraphQL types of a network's options, generated from the schema that validates them.
import type { EnumRef, InputObjectRef, ObjectRef } from '@pothos/core';
import type { z } from 'zod';
import { toEnumWord } from '../../schema/wire/enum-word.ts';
import type { builder as ourBuilder } from '../graphql/builder.ts';
import { toCamelCase, toSnakeCase } from '../graphql/case-conversion.ts';

type Builder = typeof ourBuilder;
type Values = Record<string, unknown>;
type Scalar = 'String' | 'Int' | 'Float' | 'Boolean' | 'DateTime' | 'JSON';
type Types = Builder['$inferSchemaTypes'];
type Words = EnumRef<Types, string>;

/** An output type and its input type. */
interface OptionType {
  output: Scalar | Words | ObjectRef<Types, Values>;
  input: Scalar | Words | InputObjectRef<Types, Values>;
  isList: boolean;
}

interface Option extends OptionType {
  name: string;
  member: string;
  description: string;
  /** Whether the schema refuses options without this one. */
  isRequired: boolean;
}

interface Place {
  builder: Builder;
  /** The network's display name, for descriptions. */
  title: string;
  /** The name of the generated type. */
  typeName: string;
  /** The option that has this type. Absent for the type of all options. */
  option?: string;
  /** Metadata of the member that has this type. */
  meta: z.GlobalMeta;
}

/**
 * Builds types such as `MastodonOptions` with `MastodonPoll` inside, and their input types. An object is
 * named after its member, a list item after the member without its `s`. Undefined: the network has no
 * options.
 */
export function buildOptionTypes(builder: Builder, title: string, schema: z.ZodObject) {
  const options = listOptions({ builder, title, typeName: title }, schema);
  if (options.length === 0) return undefined;
  const place = { builder, title, typeName: `${title}Options` };
  const answered = `Options of a post to ${title}. Omitted options are null.`;
  return {
    output: createOutput({ ...place, meta: { description: answered } }, options),
    // No input requires an option, because the account may have a default for it.
    input: createInput(
      { ...place, meta: { description: `Options of a post to ${title}.` } },
      options.map((option) => ({ ...option, isRequired: false })),
    ),
  };
}

function listOptions(
  { typeName, ...place }: Omit<Place, 'meta'>,
  { shape }: z.ZodObject,
): Option[] {
  return Object.entries<z.ZodType>(shape as Record<string, z.ZodType>).map(([member, schema]) => {
    const name = toCamelCase(member);
    if (toSnakeCase(name) !== member) throw new Error(`GraphQL can't name the option ${member}.`);
    const meta = metaOf(schema);
    const ownName = `${typeName}${name[0]!.toUpperCase()}${name.slice(1)}`;
    const type = toType(schema, { ...place, typeName: ownName, option: name, meta });
    const description = meta.description ?? nameOwn(place, member);
    const isRequired = !schema.safeParse(undefined).success;
    return { ...type, name, member, description, isRequired };
  });
}

type Known =
  | z.ZodOptional<z.ZodType>
  | z.ZodNullable<z.ZodType>
  | z.ZodDefault<z.ZodType>
  | z.ZodArray<z.ZodType>
  | z.ZodObject
  | z.ZodEnum
  | z.ZodNumber
  | z.ZodString
  | z.ZodBoolean;

/** An option without a matching GraphQL type is JSON. Names inside JSON are not converted. */
function toType(schema: z.ZodType, place: Place): OptionType {
  const { def } = schema as Known;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return toType(def.innerType, place);
    case 'array': {
      const typeName = place.typeName.replace(/s$/, '');
      const item = toType(def.element, { ...place, typeName });
      return item.isList ? scalar('JSON') : { ...item, isList: true };
    }
    case 'object': {
      if ((def.catchall as z.ZodType | undefined)?.type !== 'never') return scalar('JSON');
      const options = listOptions(place, schema as z.ZodObject);
      const own = { ...place, meta: { ...place.meta, ...schema.meta() } };
      return {
        output: createOutput(own, options),
        input: createInput(own, options),
        isList: false,
      };
    }
    case 'enum': {
      const type = createEnum(place, schema as z.ZodEnum);
      return { output: type, input: type, isList: false };
    }
    case 'number':
      return scalar((schema as z.ZodNumber).format?.includes('int') ? 'Int' : 'Float');
    case 'string':
      return scalar((schema as z.ZodString).format === 'datetime' ? 'DateTime' : 'String');
    case 'boolean':
      return scalar('Boolean');
    default:
      return scalar('JSON');
  }
}

function scalar(name: Scalar): OptionType {
  return { output: name, input: name, isList: false };
}

/** The schema's own metadata. The metadata of the schema inside an optional one fill the gaps. */
function metaOf(schema: z.ZodType): z.GlobalMeta {
  const inner = (schema.def as { innerType?: z.ZodType }).innerType;
  return { ...(inner && metaOf(inner)), ...schema.meta() };
}

/**
 * Every field is nullable, so that one query can read options of the same name on several networks.
 * An option `id` names media. It is shown as `mediaId`, because caches tell objects apart by `id`.
 */
function createOutput(
  { builder, title, typeName, meta }: Place,
  options: Option[],
): ObjectRef<Types, Values> {
  return builder.objectRef<Values>(typeName).implement({
    description: meta.description ?? `Part of the ${title} options.`,
    fields: (t) =>
      Object.fromEntries(
        options.map(({ name, member, output, isList, description }) => [
          name === 'id' ? 'mediaId' : name,
          t.field({
            type: isList ? [output] : output,
            nullable: true,
            description,
            resolve: (values): never => (values[member] ?? null) as never,
          }),
        ]),
      ),
  });
}

function createInput(
  { builder, title, typeName, meta }: Place,
  options: Option[],
): InputObjectRef<Types, Values> {
  return builder.inputType(`${typeName}Input`, {
    description: meta.description ?? `Part of the ${title} options.`,
    fields: (t) =>
      Object.fromEntries(
        options.map(({ name, input, isList, description, isRequired }) => [
          name,
          t.field({ type: isList ? [input] : input, description, required: isRequired }),
        ]),
      ),
  });
}

function createEnum({ builder, title, typeName, option, meta }: Place, schema: z.ZodEnum): Words {
  const meanings = { ...meta, ...schema.meta() }['x-enumDescriptions'] as
    Record<string, string> | undefined;
  return builder.enumType(typeName, {
    description: meta.description ?? `Values of the ${title} option \`${option}\`.`,
    values: Object.fromEntries(
      (schema.options as string[]).map((word) => {
        const meaning = meanings?.[word];
        const description = meaning ? toSentence(meaning) : nameOwn({ title }, word);
        return [toEnumWord(word), { value: word, description }];
      }),
    ),
  });
}

/** The description of a name that the network's own documentation explains. */
function nameOwn({ title }: Pick<Place, 'title'>, word: string): string {
  return `\`${word}\` in the API of ${title}.`;
}

function toSentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
