// The mutations: the arguments of each, and the operation that it runs.
import type {
  InputFieldMap,
  InputRef,
  InputShapeFromFields,
  ShapeFromTypeParam,
  TypeParam,
} from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import type { Scope } from '../../schema/scopes.ts';
import type { Names } from '../../schema/wire/names.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Answer } from '../http/transact.ts';
import { builder, operationCost, type GraphqlTypes } from './builder.ts';
import type { GraphqlContext } from './context.ts';
import { readId, write, type Write } from './operation.ts';
import { idArguments, idempotencyArguments, noInput } from './shapes.ts';

type Types = PothosSchemaTypes.ExtendDefaultTypes<GraphqlTypes>;

/** The arguments of a mutation beside its input. */
interface Given<Fields extends InputFieldMap> {
  /** The ID of the resource. Empty if the mutation names none. */
  id: string;
  args: InputShapeFromFields<Fields>;
  /** How messages name fields. */
  names: Names;
}

interface MutationOptions<Type extends TypeParam<Types>, Input, Fields extends InputFieldMap> {
  type: Type;
  scope: Scope;
  description?: string;
  /** Default: one operation. */
  complexity?: (args: { input: Input }) => { field: number; multiplier: number };
  /** Name in messages of the resource whose `id` is an argument. */
  resource?: string;
  /** Arguments beside `id` and `input`. */
  args?: Fields;
  /** The schema that REST has for these arguments. */
  query?: z.ZodType;
  input?: InputRef;
  /** Absent: the mutation needs its input. */
  isInputOptional?: true;
  /** The schema of the input. */
  schema?: z.ZodType<Input>;
  /** Whether the operation itself finds the stored answer of a repeat. */
  answersRepeats?: true;
  /** The mutation takes an `idempotencyKey`, because a repeat would run it again. */
  takesKey?: true;
  run(
    this: void,
    context: Context,
    caller: Caller,
    input: Input,
    given: Given<Fields>,
  ): Promise<Answer<ShapeFromTypeParam<Types, Type, true>>>;
}

/** For example `updateWebhook(id: "wh_…", input: { … }) { … }`. `id` and `input` are optional. */
export function mutationOf<Type extends TypeParam<Types>, Input, Fields extends InputFieldMap>(
  name: string,
  options: MutationOptions<Type, Input, Fields>,
): void {
  const { type, scope, description, complexity = operationCost, query, input } = options;
  const { resource, isInputOptional, answersRepeats = false } = options;
  const { schema = noInput as unknown as z.ZodType<Input> } = options;

  function resolve(
    _: unknown,
    args: Write<Input>['args'],
    graphql: GraphqlContext,
    info: GraphQLResolveInfo,
  ) {
    return write(
      graphql,
      { scope, schema, args, info, answersRepeats },
      (context, caller, given, names) =>
        options.run(context, caller, given, {
          id: resource === undefined ? '' : readId(resource, args.id!),
          args: args as InputShapeFromFields<Fields>,
          names,
        }),
    );
  }

  builder.mutationField(name, (t) =>
    t.field({
      type: type as never,
      nullable: true,
      description: description!,
      complexity: complexity as number,
      ...(query && { extensions: { query } }),
      args: {
        ...(resource !== undefined && idArguments(resource)),
        ...options.args,
        ...(input && { input: t.arg({ type: input, required: !isInputOptional }) }),
        ...(options.takesKey && idempotencyArguments),
      },
      resolve: resolve as never,
    }),
  );
}

/** The answer of a deletion: the ID of what was deleted. */
export const deleted = async (
  deletion: Promise<{ status: Answer<never>['status'] }>,
  id: string,
) => ({
  status: (await deletion).status,
  data: id,
});
