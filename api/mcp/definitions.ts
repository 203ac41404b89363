// How a client sees a tool: its JSON Schemas, from the schemas of its route, and its annotations.
import { z } from 'zod';
import { findGrant, type Scope } from '../../schema/scopes.ts';
import { ownArgumentsOf } from './arguments.ts';
import { tools, type Tool } from './tools.ts';

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

function writeInputSchema(tool: Tool) {
  const own = toJsonSchema(ownArgumentsOf(tool), 'input') as ObjectSchema;
  const { query, body } = tool.route;
  const members = membersOf(query ?? body, tool.members, { isQuery: query !== undefined });
  return {
    ...own,
    type: 'object' as const,
    properties: { ...own.properties, ...members.properties },
    required: [...(own.required ?? []), ...(members.required ?? [])],
  };
}

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
function writeOutputSchema({ route }: Tool) {
  const schema = z.looseObject({
    data: route.answer.schema!,
    request_id: z.string().meta({ description: 'ID of the request, for support and logs.' }),
    replayed: z.boolean().optional().meta({
      description: 'Whether an earlier call has made this answer.',
    }),
    note: z.string().optional().meta({ description: 'What a replayed answer means.' }),
  });
  return { ...toJsonSchema(schema, 'output'), type: 'object' as const };
}

function define(tool: Tool): ToolDefinition {
  const { name, title, description, kind, isOpenWorld, hasOutputSchema } = tool;
  return {
    name,
    title,
    description,
    inputSchema: writeInputSchema(tool),
    ...(hasOutputSchema && { outputSchema: writeOutputSchema(tool) }),
    annotations: {
      readOnlyHint: kind === 'reads',
      destructiveHint: kind === 'changes',
      // A repeat gets the first answer, or changes nothing.
      idempotentHint: true,
      openWorldHint: isOpenWorld,
    },
  };
}

/** Made for the first agent, because every start of the program would wait for it. */
let definitions: readonly { tool: Tool; definition: ToolDefinition }[] | undefined;

/** The tools that a key with these scopes may call. */
export function listTools(scopes: readonly Scope[]): ToolDefinition[] {
  definitions ??= [...tools.values()].map((tool) => ({ tool, definition: define(tool) }));
  return definitions
    .filter(({ tool }) => tool.scopes.every((scope) => findGrant(scopes, scope) !== undefined))
    .map(({ definition }) => definition);
}
