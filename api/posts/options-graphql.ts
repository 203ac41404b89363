// The networks' own options in GraphQL: types made of the schemas that check them.
import { z } from 'zod';
import { platformDefinitions, type PlatformName } from '../../schema/platforms/index.ts';
import { builder } from '../builder.ts';
import { wordEnum } from '../graphql-shapes.ts';
import { toCamelCase } from '../graphql-spelling.ts';

/** A result's options with the network that they are for. */
export interface ShownOptions {
  platform: PlatformName;
  options: Record<string, unknown>;
}

type Leaf = 'String' | 'Int' | 'Float' | 'Boolean' | 'JSON' | ReturnType<typeof wordEnum>;
type OptionType = Leaf | [Leaf];

interface Option {
  name: string;
  member: string;
  type: OptionType;
  description: string;
}

const networks = platformDefinitions.flatMap(({ name: platform, title, options: { shape } }) => {
  const options = Object.entries<z.ZodType>(shape as Record<string, z.ZodType>).map(
    ([member, schema]): Option => {
      const name = toCamelCase(member);
      const meta = schema.meta() ?? {};
      const type = toType(schema, `${title}${name[0]!.toUpperCase()}${name.slice(1)}`, meta);
      return { name, member, type, description: meta.description ?? '' };
    },
  );
  return options.length === 0 ? [] : [{ platform, title, options }];
});

/** What GraphQL has no type for is shown as it is. */
function toType(schema: z.ZodType, enumName: string, meta: z.GlobalMeta): OptionType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return toType(schema.unwrap() as z.ZodType, enumName, meta);
  }
  if (schema instanceof z.ZodArray) {
    const inner = toType(schema.element as z.ZodType, enumName, meta);
    return Array.isArray(inner) ? 'JSON' : [inner];
  }
  if (schema instanceof z.ZodEnum) {
    const meanings = meta['x-enumDescriptions'] as Record<string, string> | undefined;
    return wordEnum(enumName, schema.options as string[], toSentences(meanings ?? {}));
  }
  if (schema instanceof z.ZodNumber) return schema.format?.includes('int') ? 'Int' : 'Float';
  if (schema instanceof z.ZodString) return 'String';
  if (schema instanceof z.ZodBoolean) return 'Boolean';
  return 'JSON';
}

function toSentences(meanings: Record<string, string>): Record<string, string> {
  const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}.`;
  return Object.fromEntries(
    Object.entries(meanings).map(([word, meaning]) => [word, sentence(meaning)]),
  );
}

const types = networks.map(({ title, options }) =>
  builder.objectRef<ShownOptions>(`${title}Options`).implement({
    description: `What of ${title}'s own options was asked for. Null: it was left out.`,
    fields: (t) =>
      Object.fromEntries(
        options.map(({ name, member, type, description }) => [
          name,
          t.field({
            type,
            nullable: true,
            description,
            resolve: (shown): never => (shown.options[member] ?? null) as never,
          }),
        ]),
      ),
  }),
);

const titles = new Map(networks.map(({ platform, title }) => [platform, title]));

export const PlatformOptionsRef = builder.unionType('PlatformOptions', {
  description: "The options of a target's network.",
  types,
  resolveType: ({ platform }) => `${titles.get(platform)}Options`,
});

/** Null: the network has no options. */
export function showOptions(shown: ShownOptions): ShownOptions | null {
  return titles.has(shown.platform) ? shown : null;
}

const inputs = networks.map(({ platform, title, options }) => {
  const type = builder.inputType(`${title}OptionsInput`, {
    description: `${title}'s own options.`,
    fields: (t) =>
      Object.fromEntries(
        options.map(({ name, type, description }) => [name, t.field({ type, description })]),
      ),
  });
  return { platform, title, type };
});

export const PlatformOptionsInput = builder.inputType('PlatformOptionsInput', {
  description: "A network's own options; an account of another network is refused.",
  isOneOf: true,
  fields: (t) =>
    Object.fromEntries(
      inputs.map(({ platform, title, type }) => [
        platform,
        t.field({ type, description: `For an account of ${title}.` }),
      ]),
    ),
});
