// One operation on a GraphQL socket: its checks, and how its errors are presented.
import type {
  ExecutionArgs,
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLError,
} from 'graphql';
import type { ServerOptions } from 'graphql-ws';
import { validationError } from '../../schema/wire/errors.ts';
import type { Caller, Context } from '../http/context.ts';
import { requireOperation } from '../graphql/server/document-limits.ts';
import type { GraphqlContext } from '../graphql/context.ts';
import { presentError, toGraphqlError } from '../graphql/errors.ts';
import { countRequest } from '../http/rate-limit.ts';
import { nameRequest } from '../http/request-id.ts';
import type { DocumentRequest, StoredDocuments } from '../graphql/server/stored-documents.ts';
import type { YogaServer } from '../graphql/server/yoga.ts';

const maxOperations = 100;

interface Executors {
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
  subscribe(args: ExecutionArgs): Promise<AsyncGenerator<ExecutionResult> | ExecutionResult>;
}

interface OperationPayload extends DocumentRequest {
  query: string;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
}

export interface OperationOptions {
  yoga: YogaServer;
  documents: StoredDocuments;
}

/** The client of a socket. */
export interface SocketOwner extends Record<PropertyKey, unknown> {
  caller?: Caller;
  readonly ended: AbortSignal;
}

/** The hooks of graphql-ws that run operations. */
export function serveOperations<Extra extends SocketOwner>(
  app: Context,
  { yoga, documents }: OperationOptions,
) {
  async function prepare(payload: OperationPayload, running: object, extra: Extra) {
    const caller = extra.caller!;
    const requestId = nameRequest(null);
    try {
      if (Object.keys(running).length > maxOperations) {
        const message = `must wait: a socket can run at most ${maxOperations} operations at once`;
        throw validationError([{ path: ['query'], code: 'too_many_operations', message }]);
      }
      countRequest(app, caller);
      const { schema, parse, validate, contextFactory, execute, subscribe } = yoga.getEnveloped({
        caller,
        requestId,
        ended: extra.ended,
      });
      const document = parse(documents.readDocument(payload, true));
      requireOperation(document, payload.operationName);
      const errors = validate(schema, document);
      if (errors.length > 0) {
        return errors.map((error: GraphQLError) => presentError(app, requestId, error));
      }
      return {
        schema,
        operationName: payload.operationName,
        document,
        variableValues: payload.variables,
        contextValue: await contextFactory(),
        rootValue: { execute, subscribe },
      };
    } catch (error) {
      return [presentError(app, requestId, toGraphqlError(error))];
    }
  }

  return {
    execute: (args) => (args.rootValue as Executors).execute(args),
    subscribe: (args) => (args.rootValue as Executors).subscribe(args),
    onSubscribe: ({ subscriptions, extra }, _id, payload) => prepare(payload, subscriptions, extra),
    onNext(_connection, _id, _payload, { contextValue }, { errors, ...members }) {
      if (!errors) return undefined;
      const { requestId } = contextValue as GraphqlContext;
      const shown = errors.map((error) => presentError(app, requestId, error).toJSON());
      return { ...members, errors: shown } as FormattedExecutionResult;
    },
  } satisfies ServerOptions<Record<string, unknown>, Extra>;
}
