// Typed documents of our own GraphQL API.
import { initGraphQLTada, type FragmentOf, type ResultOf, type VariablesOf } from 'gql.tada';
import type { introspection } from './introspection.d.ts';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  /** Fragments are read as they are, so that a component can take what a stream sends. */
  disableMasking: true;
  scalars: { DateTime: string; JSON: unknown };
}>();

export type { FragmentOf, ResultOf, VariablesOf };
export type Scope = ReturnType<typeof graphql.scalar<'Scope'>>;
export type PostStatus = ReturnType<typeof graphql.scalar<'PostStatus'>>;
export type Platform = ReturnType<typeof graphql.scalar<'Platform'>>;
