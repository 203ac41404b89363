// What the dashboard makes of a post that someone writes: options, moved times, and the length of texts.
import { readFile } from 'node:fs/promises';
import {
  buildSchema,
  validateInputValue,
  type GraphQLInputObjectType,
  type GraphQLUnionType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { movedTime } from '../../../api/dashboard/app/calendar/moved-time.ts';
import type { CalendarPostData } from '../../../api/dashboard/app/calendar/calendar-documents.ts';
import {
  fromPlatformOptions,
  ofLaterParts,
  toPlatformOptions,
  type OptionSchema,
  type OptionValue,
  type OptionValues,
} from '../../../api/dashboard/app/compose/options/option-schema.ts';
import { countText } from '../../../api/dashboard/app/compose/text-count.ts';
import { parseSlots, slotText } from '../../../api/dashboard/app/queues/slots.ts';
import { toJsonSchema } from '../../../api/platforms/operations.ts';
import { platformDefinitions } from '../../../schema/platforms/index.ts';
import { countAs } from '../../support/dashboard/text-length.ts';

const sdl = await readFile(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8');
const inputs = buildSchema(sdl).getType('PlatformOptionsInput') as GraphQLInputObjectType;

/** Every value that a field of the form can have, as far as a value of its type goes. */
function examples(schema: OptionSchema): OptionValue[] {
  if (schema.enum) return schema.enum;
  if (schema.type === 'boolean') return [true, false];
  if (schema.type === 'integer' || schema.type === 'number') return [schema.minimum ?? 1];
  if (schema.type === 'array') return examples(schema.items ?? {}).map((one) => [one]);
  if (schema.type === 'object' && schema.properties) return objects(schema.properties);
  return schema.format === 'date-time' ? ['2026-01-01T00:00:00Z'] : ['text'];
}

/** As many objects as the member with the most values has. */
function objects(properties: Record<string, OptionSchema>): OptionValues[] {
  const members = Object.entries(properties).map(([name, one]) => [name, examples(one)] as const);
  const most = Math.max(...members.map(([, values]) => values.length));
  return Array.from({ length: most }, (_, at) =>
    Object.fromEntries(members.map(([name, values]) => [name, values[at % values.length]!])),
  );
}

describe('options of a network', () => {
  test.each(platformDefinitions)('of $name become the input that the API takes', (definition) => {
    const schema = toJsonSchema(definition.options) as OptionSchema;
    const name = definition.name;
    const type = inputs.getFields()[name]!.type;
    const values = objects(schema.properties!);
    expect(values.length).toBeGreaterThan(0);
    for (const each of values) {
      const platform = name.toUpperCase() as Parameters<typeof toPlatformOptions>[0];
      const input = toPlatformOptions(platform, schema, each)!;
      const problems: string[] = [];
      validateInputValue(input[name], type, ({ message }, path) => {
        problems.push(`${path.join('.')}: ${message}`);
      });
      expect(problems).toEqual([]);
    }
  });

  test.each(platformDefinitions)(
    'of $name are read as the API returns them',
    ({ name, options }) => {
      const schema = toJsonSchema(options) as OptionSchema;
      const type = buildSchema(sdl).getType('PlatformOptions') as GraphQLUnionType;
      const typename = type.getTypes().map((one) => one.name);
      for (const each of objects(schema.properties!)) {
        const platform = name.toUpperCase() as Parameters<typeof toPlatformOptions>[0];
        const sent = toPlatformOptions(platform, schema, each)![name] as Record<string, unknown>;
        const members = Object.entries(sent).map(([key, value]) => [
          `${typename[0]}_${key}`,
          value,
        ]);
        const answer = { __typename: typename[0], ...Object.fromEntries(members) };
        expect(fromPlatformOptions(schema, answer)).toEqual(each);
      }
    },
  );

  test('of later parts are choices of the first one, and none of its content', () => {
    const schema: OptionSchema = {
      properties: {
        visibility: { type: 'string', enum: ['public', 'private'] },
        sensitive: { type: 'boolean' },
        poll: { type: 'object', properties: {} },
        title: { type: 'string' },
      },
    };
    const first = { visibility: 'private', sensitive: true, poll: {}, title: 'One' };
    expect(ofLaterParts(schema, first)).toEqual({ visibility: 'private', sensitive: true });
  });

  test('sends free members as they were written', () => {
    const block = { type: 'image', alt_text: 'A dot' };
    const items = { type: 'object', properties: { type: {} }, additionalProperties: {} };
    const schema: OptionSchema = { properties: { blocks: { type: 'array', items } } };
    const sent = toPlatformOptions('SLACK', schema, { blocks: [block] });
    expect(sent).toEqual({ slack: { blocks: [block] } });
  });

  test('leaves out what is empty', () => {
    const schema: OptionSchema = { type: 'object', properties: { title: { type: 'string' } } };
    expect(toPlatformOptions('YOUTUBE', schema, {})).toBeUndefined();
    expect(toPlatformOptions('YOUTUBE', schema, { title: '' })).toBeUndefined();
  });
});

describe('the length of a text', () => {
  const texts = ['', 'Brass band', 'Straße', '日本語のテキスト', 'e\u0301 👩‍👩‍👧 🥁'];
  const unitOf = ({ rules }: (typeof platformDefinitions)[number]) =>
    rules.text.unit.toUpperCase() as Parameters<typeof countText>[1];

  test.each(platformDefinitions)('is that of $name', (definition) => {
    for (const text of texts) {
      expect(countText(text, unitOf(definition)), text).toBe(countAs(definition, text));
    }
  });

  test('counts a link as X does', () => {
    const definition = platformDefinitions.find(({ name }) => name === 'twitter')!;
    const text = 'See https://example.com/a?b=c now';
    expect(countText(text, unitOf(definition))).toBe(countAs(definition, text));
    // A browser doesn't know which words end like a domain, so only the API counts these as links.
    const bare = 'See example.com';
    expect(countText(bare, unitOf(definition))).toBeLessThan(countAs(definition, bare));
  });
});

describe('a post that is dragged', () => {
  const post = (time: Partial<CalendarPostData>) => time as CalendarPostData;

  test('keeps its clock and its zone, also across the change to summer time', () => {
    const schedule = { local: '2026-03-27T09:00', timezone: 'Europe/Berlin' };
    expect(movedTime(post({ schedule }), { days: 3, milliseconds: 0 })).toEqual({
      schedule: { local: '2026-03-30T09:00', timezone: 'Europe/Berlin' },
    });
  });

  test('without a zone moves by the clock of the browser', () => {
    const scheduledAt = '2026-11-27T09:00:00.000Z';
    const moved = movedTime(post({ schedule: null, scheduledAt }), {
      days: 1,
      milliseconds: 1_800_000,
    });
    expect(moved).toEqual({ scheduledAt: '2026-11-28T09:30:00.000Z' });
    expect(
      movedTime(post({ schedule: null, scheduledAt: null }), { days: 1, milliseconds: 0 }),
    ).toBeUndefined();
  });
});

describe('the weekly times of a queue', () => {
  test('are one text for each day, in order', () => {
    const texts = slotText([
      { weekday: 'MON', time: '17:30' },
      { weekday: 'MON', time: '09:00' },
    ]);
    expect(texts).toMatchObject({ MON: '09:00, 17:30', TUE: '' });
    expect(parseSlots({ ...texts, SUN: '8:00 , ' })).toEqual([
      { weekday: 'MON', time: '09:00' },
      { weekday: 'MON', time: '17:30' },
      { weekday: 'SUN', time: '8:00' },
    ]);
  });
});
