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

type Types = introspection['types'];
type Enum<Name extends keyof Types> = Types[Name] extends { enumValues: infer Value }
  ? Value
  : never;

export type DeliveryStatus = Enum<'DeliveryStatus'>;
export type MediaStatus = Enum<'MediaStatus'>;
export type NextAction = Enum<'NextAction'>;
export type Platform = Enum<'Platform'>;
export type PostStatus = Enum<'PostStatus'>;
export type Scope = Enum<'Scope'>;
export type WaitReason = Enum<'WaitReason'>;
/** Every state that pages show. */
export type StatusValue = Enum<
  | 'AccountCheckStatus'
  | 'AccountCheckStepStatus'
  | 'AccountHealthStatus'
  | 'AccountStatus'
  | 'AppApproval'
  | 'AttemptOutcome'
  | 'DeliveryStatus'
  | 'MediaStatus'
  | 'PostStatus'
  | 'ReplayStatus'
  | 'ResultChangeStatus'
  | 'ResultStatus'
  | 'WebhookStatus'
>;
