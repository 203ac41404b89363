// GraphQL types of a network's options, made from the schema that checks them.
import type { EnumRef, InputObjectRef, ObjectRef } from '@pothos/core';
import type { z } from 'zod';
import { toEnumWord } from '../../../schema/wire/enum-word.ts';
import type { builder as ourBuilder } from '../../graphql/builder.ts';
import { toCamelCase, toSnakeCase } from '../../graphql/case-conversion.ts';

type Builder = typeof ourBuilder;
type Values = Record<string, unknown>;
type Scalar = 'String' | 'Int' | 'Float' | 'Boolean' | 'JSON';
type Types = Builder['$inferSchemaTypes'];
type Words = EnumRef<Types, string>;

/** A type as answers and as inputs have it; `isList`: the option holds several. */
interface OptionType {
  output: Scalar | Words | ObjectRef<Types, Values>;
  input: Scalar | Words | InputObjectRef<Types, Values>;
  isList: boolean;
}

interface Option extends OptionType {
  name: string;
  member: string;
  description: string;
  /** Whether the schema refuses options without it. */
  isRequired: boolean;
}

interface Place {
  builder: Builder;
  /** The network as it writes itself, for descriptions. */
  title: string;
  /** The name of the type that is made here. */
  typeName: string;
  /** The option that holds the type; absent: the type has all of them. */
  option?: string;
  /** What the member that holds the type says of itself. */
  meta: z.GlobalMeta;
}

/**
 * `MastodonOptions` with `MastodonPoll` inside, and their inputs. An object is named for its member,
 * an item of a list for the member without its `s`. Undefined: the network has no options.
 */
export function buildOptionTypes(builder: Builder, title: string, schema: z.ZodObject) {
  const options = listOptions({ builder, title, typeName: title }, schema);
  if (options.length === 0) return undefined;
  const place = { builder, title, typeName: `${title}Options` };
  const answered = `Options of ${title} that were requested. Null: the option was omitted.`;
  return {
    output: createOutput({ ...place, meta: { description: answered } }, options),
    input: createInput({ ...place, meta: { description: `Options of ${title}.` } }, options),
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

/** Options without a GraphQL type are JSON, whose names stay as they are. */
function toType(schema: z.ZodType, place: Place): OptionType {
  const { def } = schema as z.ZodType & { def: z.core.$ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return toType(def.innerType as z.ZodType, place);
    case 'array': {
      const typeName = place.typeName.replace(/s$/, '');
      const item = toType(def.element as z.ZodType, { ...place, typeName });
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
      return scalar('String');
    case 'boolean':
      return scalar('Boolean');
    default:
      return scalar('JSON');
  }
}

function scalar(name: Scalar): OptionType {
  return { output: name, input: name, isList: false };
}

/** A schema's own metadata, with that of the schema inside an optional one. */
function metaOf(schema: z.ZodType): z.GlobalMeta {
  const inner = (schema.def as { innerType?: z.ZodType }).innerType;
  return { ...(inner && metaOf(inner)), ...schema.meta() };
}

/** All nullable, so that options of the same name in several networks can be read by one query. */
function createOutput(
  { builder, title, typeName, meta }: Place,
  options: Option[],
): ObjectRef<Types, Values> {
  return builder.objectRef<Values>(typeName).implement({
    description: meta.description ?? `Part of the options of ${title}.`,
    fields: (t) =>
      Object.fromEntries(
        options.map(({ name, member, output, isList, description }) => [
          name,
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
    description: meta.description ?? `Part of the options of ${title}.`,
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
    description: meta.description ?? `Values of the option \`${option}\` of ${title}.`,
    values: Object.fromEntries(
      (schema.options as string[]).map((word) => {
        const meaning = meanings?.[word];
        const description = meaning ? toSentence(meaning) : nameOwn({ title }, word);
        return [toEnumWord(word), { value: word, description }];
      }),
    ),
  });
}

/** Of what the network's own documents describe. */
function nameOwn({ title }: Pick<Place, 'title'>, word: string): string {
  return `\`${word}\` of the API of ${title}.`;
}

function toSentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
