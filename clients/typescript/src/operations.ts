// The types of each call, as the OpenAPI document has them.
import type { components, operations } from './openapi.ts';

export type Schemas = components['schemas'];
export type Operation = keyof operations;

type Success<Responses> = Responses[keyof Responses & (200 | 201 | 202)];
type Json<Response> = Response extends { content: { 'application/json': infer Value } }
  ? Value
  : never;

/** The whole JSON of a successful answer. */
export type Answer<Op extends Operation> = Json<Success<operations[Op]['responses']>>;
/** What a successful answer is about. */
export type Data<Op extends Operation> =
  Answer<Op> extends { data: infer Value } ? Value : undefined;
/** An entry of a list. */
export type Item<Op extends Operation> = Data<Op> extends (infer Entry)[] ? Entry : never;
/** The position of a page, in a list. */
export type Meta<Op extends Operation> = Answer<Op> extends { meta: infer Value } ? Value : never;
/** The JSON body of a request. */
export type Body<Op extends Operation> = operations[Op] extends { requestBody?: infer Request }
  ? Json<NonNullable<Request>>
  : never;
/** The query parameters of a request. */
export type Query<Op extends Operation> = NonNullable<operations[Op]['parameters']['query']>;
