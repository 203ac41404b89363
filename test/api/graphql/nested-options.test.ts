// Options that hold objects: their GraphQL types, and names converted both ways.
import SchemaBuilder from '@pothos/core';
import {
  graphql,
  isEnumType,
  isInputObjectType,
  isObjectType,
  printSchema,
  type GraphQLSchema,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { GraphqlTypes } from '../../../api/graphql/builder.ts';
import { namesAt, toWire } from '../../../api/graphql/input.ts';
import { buildOptionTypes } from '../../../api/platforms/option-types.ts';
import { check } from '../../../api/http/validation.ts';

const Options = z.strictObject({
  poll: z
    .strictObject({
      options: z.array(z.string()).min(2).meta({ description: 'Answers.' }),
      expires_in: z.int().min(1).meta({ description: 'Seconds.' }),
      hide_totals: z.boolean().optional(),
    })
    .optional()
    .meta({ description: 'A poll.' }),
  embeds: z
    .array(
      z
        .strictObject({
          image_url: z.url().optional(),
          kind: z
            .enum(['rich', 'plain_text', 'MarkdownV2'])
            .optional()
            .meta({ 'x-enumDescriptions': { rich: 'with markup', plain_text: 'without' } }),
          fields: z
            .array(
              z.strictObject({
                field_name: z.string().min(1).default('field'),
                is_inline: z.boolean(),
              }),
            )
            .optional(),
        })
        .meta({ description: 'An embed.' }),
    )
    .optional()
    .meta({ description: 'Embeds.' }),
  thumb: z.strictObject({ id: z.string() }).optional(),
  blocks: z
    .array(z.looseObject({ block_id: z.string() }))
    .optional()
    .meta({ description: 'Free JSON.' }),
});

let schema: GraphQLSchema;
let received: unknown;

beforeAll(() => {
  const builder = new SchemaBuilder<GraphqlTypes>({
    plugins: [],
    defaultFieldNullability: false,
  } as never);
  builder.scalarType('JSON', { serialize: (value) => value });
  const { output, input } = buildOptionTypes(builder, 'TestNet', Options)!;
  const choice = builder.inputType('Choice', {
    isOneOf: true,
    fields: (t) => ({ testNet: t.field({ type: input }) }),
  });
  const target = builder.inputType('Target', {
    fields: (t) => ({ platformOptions: t.field({ type: choice }) }),
  });
  builder.queryType({
    fields: (t) => ({
      echo: t.field({
        type: output,
        args: { input: t.arg({ type: target, required: true }) },
        resolve: (_, { input: given }, _context, info) => {
          const { type } = info.parentType.getFields()['echo']!.args[0]!;
          const { platform_options: wire } = toWire(given, type) as { platform_options: unknown };
          received = wire;
          const { data, issues } = check(Options, wire, { at: ['platform_options'] });
          if (data) return data;
          const names = namesAt({ input: { type, value: given } });
          throw new Error(issues.map(({ path }) => names.path(path)).join(' '));
        },
      }),
    }),
  });
  schema = builder.toSchema();
});

const query = `query ($input: Target!) {
  echo(input: $input) {
    poll { options expiresIn hideTotals }
    embeds { imageUrl kind fields { isInline } }
    thumb { mediaId }
    blocks
  }
}`;

async function echo(options: object) {
  const variableValues = { input: { platformOptions: { testNet: options } } };
  return graphql({ schema, source: query, variableValues });
}

describe('the types of nested options', () => {
  test('are named after the network and the member, and in the singular for items of a list', () => {
    const sdl = printSchema(schema);
    expect(sdl).toContain('poll: TestNetPoll\n');
    expect(sdl).toContain('poll: TestNetPollInput\n');
    expect(sdl).toContain('embeds: [TestNetEmbed!]\n');
    expect(sdl).toContain('embeds: [TestNetEmbedInput!]\n');
    expect(sdl).toContain('fields: [TestNetEmbedFieldInput!]\n');
    expect(sdl).toContain('expiresIn: Int\n');
    expect(sdl).toContain('imageUrl: String\n');
    expect(sdl).toMatch(/"""Without."""\s+PLAIN_TEXT/);
  });

  test('have enum values in upper case, with underscores', () => {
    const kind = schema.getType('TestNetEmbedKind');
    const words = isEnumType(kind) ? kind.getValues().map(({ name, value }) => [name, value]) : [];
    expect(words).toEqual([
      ['MARKDOWN_V2', 'MarkdownV2'],
      ['PLAIN_TEXT', 'plain_text'],
      ['RICH', 'rich'],
    ]);
  });

  test('are described by their schema, or by the member that holds them', () => {
    const sdl = printSchema(schema);
    expect(sdl).toContain('"""Values of the TestNet option `kind`."""\nenum TestNetEmbedKind');
    expect(sdl).toContain('"""A poll."""\ninput TestNetPollInput');
    expect(sdl).toContain('"""An embed."""\ntype TestNetEmbed ');
    expect(sdl).toContain('"""`hide_totals` in the API of TestNet."""\n  hideTotals: Boolean');
  });

  test('are required in inputs if the schema requires them, and nullable in answers', () => {
    const typesOf = (name: string) => {
      const type = schema.getType(name);
      const fields = isObjectType(type) || isInputObjectType(type) ? type.getFields() : {};
      return Object.values(fields).map((field) => `${field.name}: ${String(field.type)}`);
    };
    expect(typesOf('TestNetPollInput')).toEqual([
      'expiresIn: Int!',
      'hideTotals: Boolean',
      'options: [String!]!',
    ]);
    expect(typesOf('TestNetEmbedFieldInput')).toEqual(['fieldName: String', 'isInline: Boolean!']);
    expect(typesOf('TestNetPoll')).toEqual([
      'expiresIn: Int',
      'hideTotals: Boolean',
      'options: [String!]',
    ]);
  });

  test('are not required at the top, because the account may have a default', () => {
    const builder = new SchemaBuilder<GraphqlTypes>({ plugins: [] } as never);
    const { input } = buildOptionTypes(builder, 'Own', z.strictObject({ board_id: z.string() }))!;
    builder.queryType({
      fields: (t) => ({
        echo: t.string({ args: { input: t.arg({ type: input }) }, resolve: () => '' }),
      }),
    });
    expect(printSchema(builder.toSchema())).toContain('boardId: String\n');
  });

  test('leave free JSON as it is', () => {
    expect(printSchema(schema)).toContain('blocks: [JSON!]\n');
  });

  test('refuse a member whose name GraphQL could not convert back', () => {
    const build = () =>
      buildOptionTypes(undefined as never, 'Odd', z.strictObject({ block_2: z.string() }));
    expect(build).toThrow('block_2');
  });
});

describe('nested options', () => {
  test('reach the network in its own names and come back in those of GraphQL', async () => {
    const options = {
      poll: { options: ['a', 'b'], expiresIn: 300, hideTotals: null },
      embeds: [{ imageUrl: 'https://a.example', kind: 'PLAIN_TEXT', fields: [{ isInline: true }] }],
      blocks: [{ block_id: 'x', someKey: { other_key: 1 } }],
    };
    const { data, errors } = await echo({ ...options, thumb: { id: 'med_a' } });
    expect(errors).toBeUndefined();
    expect(received).toEqual({
      poll: { options: ['a', 'b'], expires_in: 300 },
      embeds: [
        { image_url: 'https://a.example', kind: 'plain_text', fields: [{ is_inline: true }] },
      ],
      thumb: { id: 'med_a' },
      blocks: [{ block_id: 'x', someKey: { other_key: 1 } }],
    });
    expect(data!['echo']).toEqual({ ...options, thumb: { mediaId: 'med_a' } });
  });

  test.each([
    ['an object', { poll: { options: ['a', 'b'], expiresIn: 0 } }, 'poll.expiresIn'],
    ['a list in an object', { poll: { options: ['a'], expiresIn: 1 } }, 'poll.options'],
    ['an item of a list', { embeds: [{}, { imageUrl: 'no' }] }, 'embeds[1].imageUrl'],
    [
      'a list in a list',
      { embeds: [{ fields: [{ fieldName: '', isInline: true }] }] },
      'embeds[0].fields[0].fieldName',
    ],
    ['free JSON', { blocks: [{ block_id: 1 }] }, 'blocks[0].block_id'],
    ['free JSON that lacks a member', { blocks: [{ blockId: 'x' }] }, 'blocks[0].block_id'],
  ])('are refused with the path of the issue in %s', async (_, options, path) => {
    const { errors } = await echo(options);
    expect(errors![0]!.message).toBe(`input.platformOptions.testNet.${path}`);
  });
});
