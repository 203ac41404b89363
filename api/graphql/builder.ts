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

/** A field costs nothing, a resource 1, a list 1 for each possible item, an operation 10. */
export const operationCost = 10;

/** A list counts its items itself, because it reads them even if none is selected. */
const inItsPage = { field: 0, multiplier: 1 };

export const builder = new SchemaBuilder<GraphqlTypes>({
  plugins: [ComplexityPlugin, RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    // IDs are the same as in REST.
    encodeGlobalID: (_typename, id) => String(id),
    nodeTypeOptions: { description: 'A resource with an ID.' },
    idFieldOptions: { description: 'Unique ID.' },
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    pageInfoTypeOptions: { description: 'Position of a page in its list.' },
    hasNextPageFieldOptions: { description: 'Whether there is another page.' },
    hasPreviousPageFieldOptions: { description: 'Whether the page was requested with `after`.' },
    startCursorFieldOptions: { description: 'Cursor of the first item. Null on an empty page.' },
    endCursorFieldOptions: {
      description:
        'Cursor of the last item. Pass it as `after` for the next page. Null on an empty page.',
    },
    pageInfoFieldOptions: { description: 'Position of the page in its list.' },
    edgesFieldOptions: {
      nullable: false,
      complexity: inItsPage,
      description: 'Items of the page with their cursors.',
    },
    nodeFieldOptions: { nullable: false, description: 'The item.' },
    nodesOnConnection: { complexity: inItsPage, description: 'Items of the page.' },
    cursorFieldOptions: { description: 'Cursor of the item.' },
  },
  complexity: {
    defaultComplexity: 0,
    defaultListMultiplier: 10,
    // The plugin would count again for each root field. `document-limits.ts` counts once, before execution.
    disabled: true,
  },
});

builder.queryType({ description: 'Operations that read data.' });
builder.mutationType({ description: 'Operations that change data.' });
builder.subscriptionType({ description: 'Streams of changes.' });

builder.scalarType('DateTime', {
  description: 'RFC 3339 time. Responses use UTC with milliseconds: `2026-01-31T12:00:00.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => value,
  parseValue: (value) => value as string,
});

builder.scalarType('JSON', {
  description: 'Any JSON value. Names inside it are the same as in REST.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value) => value,
});
