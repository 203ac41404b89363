// How a client sees a tool: its JSON Schemas, from the schemas of its route, and its annotations.
import { z } from 'zod';
import { findGrant, type Scope } from '../../schema/scopes.ts';
import { hasKey, tools, type Tool } from './tools.ts';

type JsonSchema = Record<string, unknown>;

export interface ToolDefinition {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [member: string]: unknown };
  outputSchema?: { type: 'object'; [member: string]: unknown };
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

/** The longest wait of one call, below the usual timeout of clients and proxies. */
export const maxWaitS = 50;

const text = (description: string) => ({ type: 'string', description });

/** Arguments that no route has. */
const ownArguments: Readonly<Record<Tool['behavior'], Record<string, JsonSchema>>> = {
  call: {},
  wait: {
    timeout_s: {
      type: 'integer',
      minimum: 1,
      maximum: maxWaitS,
      description: `Seconds to wait at most. Default: ${maxWaitS}.`,
    },
  },
  'add media': {
    url: text('Public http or https URL of the file.'),
    alt_text: text('Description for people who cannot see it.'),
  },
};
const requiredOwn: Readonly<Record<Tool['behavior'], readonly string[]>> = {
  call: [],
  wait: [],
  'add media': ['url'],
};

const dedupe = {
  type: 'string',
  maxLength: 255,
  description:
    'Any text. For 24 hours, a call with the same arguments and the same dedupe does nothing again: it gets the first answer, with replayed: true. Another dedupe does it again.',
};

/** The names of the arguments, and those that a call must have. */
export function argumentsOf(tool: Tool): { known: Set<string>; required: string[] } {
  const { properties, required } = inputSchemaOf(tool);
  return { known: new Set(Object.keys(properties)), required };
}

const inputSchemas = new Map<Tool, ReturnType<typeof writeInputSchema>>();

function inputSchemaOf(tool: Tool) {
  const known = inputSchemas.get(tool) ?? writeInputSchema(tool);
  inputSchemas.set(tool, known);
  return known;
}

function writeInputSchema(tool: Tool) {
  const { route, inPath, members, behavior } = tool;
  const { properties = {}, required = [] } = membersOf(route.query ?? route.body, members, {
    isQuery: route.query !== undefined,
  });
  const ids = Object.values(inPath);
  return {
    type: 'object' as const,
    properties: {
      ...Object.fromEntries(ids.map((name) => [name, text(describeId(name))])),
      ...ownArguments[behavior],
      ...properties,
      ...(hasKey(tool) && { dedupe }),
    },
    required: [...ids, ...requiredOwn[behavior], ...required],
    additionalProperties: false,
  };
}

const describeId = (name: string) =>
  name.endsWith('_id')
    ? `ID of the ${name.slice(0, -3)}.`
    : 'Kind of the choices: one of `choices` in the capabilities of the account.';

interface ObjectSchema {
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

/** The schemas of some members. A query takes texts, but a tool the values themselves. */
function membersOf(
  schema: z.ZodType | undefined,
  names: readonly string[],
  { isQuery }: { isQuery: boolean },
): ObjectSchema {
  if (names.length === 0) return {};
  const { shape } = schema as z.ZodObject;
  const some = z.strictObject(Object.fromEntries(names.map((name) => [name, shape[name]!])));
  const { properties, required } = toJsonSchema(some, isQuery ? 'output' : 'input') as ObjectSchema;
  // In the output, members with a default are always there.
  return { properties: properties!, required: isQuery ? [] : (required ?? []) };
}

/** Without references, which some clients don't resolve. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      for (const name of Object.keys(jsonSchema)) {
        if (/^(x-|id$|param$|deprecated$|example)/.test(name)) delete jsonSchema[name];
      }
      // The pattern of a time has 300 characters, and says no more than its format.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
  const { $schema: _, ...resolved } = resolve(root, $defs) as JsonSchema;
  return resolved;
}

function resolve(value: unknown, definitions: Record<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, definitions));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...members } = value as JsonSchema;
  const named =
    typeof $ref === 'string'
      ? (resolve(definitions[$ref.split('/').at(-1)!], definitions) as JsonSchema)
      : {};
  const { id: _, ...definition } = named;
  const own = Object.entries(members).map(([name, member]) => [name, resolve(member, definitions)]);
  return { ...(typeof $ref === 'string' ? definition : {}), ...Object.fromEntries(own) };
}

/** The answer of the route, and what tools add. */
function writeOutputSchema({ route }: Tool): ToolDefinition['outputSchema'] {
  return {
    type: 'object',
    properties: {
      data: toJsonSchema(route.answer.schema!, 'output'),
      request_id: text('ID of the request, for support and logs.'),
      replayed: { type: 'boolean', description: 'Whether an earlier call has made this answer.' },
      note: text('What a replayed answer means.'),
    },
    required: ['data', 'request_id'],
  };
}

const definitions = new Map<string, ToolDefinition>();

function define(tool: Tool): ToolDefinition {
  const { name, title, description, kind, isOpenWorld, hasOutputSchema } = tool;
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(tool),
    ...(hasOutputSchema && { outputSchema: writeOutputSchema(tool)! }),
    annotations: {
      readOnlyHint: kind === 'reads',
      destructiveHint: kind === 'changes',
      // A repeat gets the first answer, or changes nothing.
      idempotentHint: true,
      openWorldHint: isOpenWorld,
    },
  };
}

/** The tools that a key with these scopes may call. */
export function listTools(scopes: readonly Scope[]): ToolDefinition[] {
  return [...tools.values()]
    .filter((tool) => tool.scopes.every((scope) => findGrant(scopes, scope) !== undefined))
    .map((tool) => {
      const definition = definitions.get(tool.name) ?? define(tool);
      definitions.set(tool.name, definition);
      return definition;
    });
}
