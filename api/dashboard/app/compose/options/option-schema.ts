// The options of a network as its JSON Schema describes them, and what the API takes for them.
import type { Platform } from '../../api/schema.ts';

export interface OptionSchema {
  type?: string;
  description?: string;
  enum?: string[];
  'x-enumDescriptions'?: Record<string, string>;
  /** The kind of choices that the account offers. */
  'x-choices'?: string;
  properties?: Record<string, OptionSchema>;
  required?: string[];
  items?: OptionSchema;
  /** Of an object whose other members are sent unchanged. */
  additionalProperties?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  format?: string;
}

/** As REST has it: names in snake case, and the words of the network. */
export type OptionValue = string | number | boolean | OptionValue[] | OptionValues;
export interface OptionValues {
  [name: string]: OptionValue;
}

export interface OptionFieldProps {
  name: string;
  /** Its place in the form. */
  at: string;
  schema: OptionSchema;
  isRequired: boolean;
  value: OptionValue | undefined;
  accountId: string;
  onChange(value: OptionValue | undefined): void;
}

/** A list of plain strings, which one text field can hold. */
export function isPlainList(schema: OptionSchema): boolean {
  return schema.type === 'array' && schema.items?.type === 'string';
}

/** Empty values are left out. Undefined: nothing is left. */
export function toPlatformOptions(
  platform: Platform,
  schema: OptionSchema,
  values: OptionValues,
): Record<string, unknown> | undefined {
  const members = convertMembers(schema, values);
  if (Object.keys(members).length === 0) return undefined;
  return { [platform.toLowerCase()]: members };
}

function convertMembers(schema: OptionSchema, values: OptionValues): Record<string, unknown> {
  const members = Object.entries(values).flatMap(([name, value]) => {
    const converted = convert(schema.properties?.[name] ?? {}, value);
    return converted === undefined ? [] : [[toCamelCase(name), converted] as const];
  });
  return Object.fromEntries(members);
}

function convert(schema: OptionSchema, value: OptionValue): unknown {
  if (value === '' || (Array.isArray(value) && value.length === 0)) return undefined;
  if (Array.isArray(value)) return value.map((one) => convert(schema.items ?? {}, one));
  if (typeof value === 'object') {
    if (isFree(schema)) return value;
    const members = convertMembers(schema, value);
    return Object.keys(members).length === 0 ? undefined : members;
  }
  return schema.enum && typeof value === 'string' ? toEnumWord(value) : value;
}

/** The options of a target as the API returns them, each with the name of its type in front. */
export function fromPlatformOptions(
  schema: OptionSchema,
  options: Readonly<Record<string, unknown>> | null,
): OptionValues {
  const prefix = `${String(options?.['__typename'])}_`;
  const members = Object.entries(options ?? {}).map(
    ([name, value]) => [name.replace(prefix, ''), value] as const,
  );
  return readMembers(schema, Object.fromEntries(members));
}

function readMembers(schema: OptionSchema, values: Record<string, unknown>): OptionValues {
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const value = values[toCamelCase(name)];
    return value === null || value === undefined ? [] : [[name, read(member, value)] as const];
  });
  return Object.fromEntries(members);
}

function read(schema: OptionSchema, value: unknown): OptionValue {
  if (Array.isArray(value)) return value.map((one: unknown) => read(schema.items ?? {}, one));
  if (typeof value === 'object' && !isFree(schema)) {
    return readMembers(schema, value as Record<string, unknown>);
  }
  return schema.enum?.find((word) => toEnumWord(word) === value) ?? (value as OptionValue);
}

const isFree = ({ additionalProperties }: OptionSchema): boolean =>
  typeof additionalProperties === 'object';

/** A later part of a thread is as visible as the first one, but repeats none of its content, such as a poll. */
export function ofLaterParts(schema: OptionSchema, values: OptionValues): OptionValues {
  const isSetting = (name: string) => {
    const member = schema.properties?.[name];
    return member?.enum !== undefined || member?.type === 'boolean';
  };
  return Object.fromEntries(Object.entries(values).filter(([name]) => isSetting(name)));
}

export const toCamelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** `MarkdownV2` → `MARKDOWN_V2`, as the GraphQL API names values. */
const toEnumWord = (word: string): string =>
  word
    .replace(/(?<=[a-z])[A-Z]/g, '_$&')
    .replace(/\W/g, '_')
    .toUpperCase();

/** `board_section_id` → `Board section` */
export function optionLabel(name: string): string {
  const words = name.replace(/_id$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
