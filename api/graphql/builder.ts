// The GraphQL schema's builder: its plugins, scalars and context. Types live with their resources.
import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import RelayPlugin from '@pothos/plugin-relay';
import type { GraphqlContext } from './context.ts';

export interface GraphqlTypes {
  Context: GraphqlContext;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
}

/** A field costs nothing, a resource 1, a list as much as it may hold, an operation 10. */
export const operationCost = 10;

/** What a page holds is counted where it is asked for, since it is read whatever is shown of it. */
const inItsPage = { field: 0, multiplier: 1 };

export const builder = new SchemaBuilder<GraphqlTypes>({
  plugins: [ComplexityPlugin, RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    // The id on the wire is the id that REST shows.
    encodeGlobalID: (_typename, id) => String(id),
    nodeTypeOptions: { description: 'What has an id of its own.' },
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    pageInfoTypeOptions: { description: 'Where a page stands in its list.' },
    endCursorFieldOptions: { description: 'The `after` of the next page. Null: an empty page.' },
    edgesFieldOptions: { nullable: false, complexity: inItsPage },
    nodeFieldOptions: { nullable: false },
    nodesOnConnection: { complexity: inItsPage },
    cursorFieldOptions: { description: 'The `after` of a page that begins behind this one.' },
  },
  complexity: {
    defaultComplexity: 0,
    defaultListMultiplier: 10,
    // The plugin would count in each field of the root; `document-limits.ts` does it once, before.
    disabled: true,
  },
});

builder.queryType({});
builder.mutationType({});
builder.subscriptionType({});

builder.scalarType('DateTime', {
  description: 'ISO 8601; in answers always UTC with milliseconds: `2026-01-31T12:00:00.000Z`.',
  serialize: (value) => value,
  parseValue: (value) => value as string,
});

builder.scalarType('JSON', {
  description: 'Any JSON value. Its members are spelled as in REST.',
  serialize: (value) => value,
});
