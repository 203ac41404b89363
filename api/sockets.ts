// GraphQL over WebSocket: who may open one, what may run on it, and when it is closed.
import type { IncomingMessage, Server } from 'node:http';
import {
  GraphQLError,
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
} from 'graphql';
import { useServer, type Extra } from 'graphql-ws/use/ws';
import type { Context as SocketContext } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import { AppError, validationError } from '../schema/errors.ts';
import { authenticate } from './auth.ts';
import type { Caller, Context } from './context.ts';
import type { GraphqlContext } from './graphql-context.ts';
import { presentError } from './graphql-errors.ts';
import type { KeyWatch } from './live/key-watch.ts';
import { takeRequest } from './rate-limit.ts';
import { nameRequest } from './request-id.ts';
import type { DocumentRequest, StoredDocuments } from './stored-documents.ts';
import { graphqlPath } from './use-router.ts';
import type { Front } from './yoga.ts';

interface SocketState extends Extra, Record<PropertyKey, unknown> {
  caller?: Caller;
  stopWatching?: () => void;
}

type Connection = SocketContext<Record<string, unknown>, SocketState>;

const maxOperations = 100;
const defaultMaxSockets = 10_000;
const full = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n\r\n';
/** A socket that has not named its key by then is closed. */
const initWithinMs = 3_000;
/** A socket that does not answer within another such while is cut. */
const pingEveryMs = 12_000;

/** How long a client may take to close its side when the server goes down. */
const closeMs = 1_000;

export interface SocketOptions {
  front: Front;
  keyWatch: KeyWatch;
  documents: StoredDocuments;
  maxSockets?: number | undefined;
}

export interface Sockets {
  close(): Promise<void>;
}

/** Other upgrades, such as the h2c that some clients offer with every request, are declined. */
export function isSocketRequest({ url, headers }: IncomingMessage): boolean {
  return url?.split('?')[0] === graphqlPath && headers.upgrade?.toLowerCase() === 'websocket';
}

export function serveSockets(
  server: Server,
  app: Context,
  { front, keyWatch, documents, maxSockets = defaultMaxSockets }: SocketOptions,
): Sockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: app.config.maxBodyBytes });

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (sockets.clients.size >= maxSockets) {
      socket.end(full, () => socket.destroy());
      return;
    }
    sockets.handleUpgrade(request, socket, head, (open) => {
      sockets.emit('connection', open, request);
      // The library would print the stack of what a client did wrong. The socket closes by itself.
      open.removeAllListeners('error');
      open.on('error', ({ message }) => app.log.debug({ message }, 'a socket failed'));
    });
  });

  async function admit({ connectionParams, extra }: Connection): Promise<boolean> {
    try {
      extra.caller = await authenticate(app, readAuthorization(connectionParams, extra));
      extra.stopWatching = keyWatch.watch(extra.caller.keyId, () => refuse(extra));
      if (extra.socket.readyState !== extra.socket.OPEN) extra.stopWatching();
      return true;
    } catch (error) {
      const isUnknown = error instanceof AppError && error.code === 'unauthorized';
      if (isUnknown) refuse(extra);
      else extra.socket.close(1013, 'Try again later');
      return false;
    }
  }

  async function begin(connection: Connection, payload: OperationPayload) {
    const { extra } = connection;
    const requestId = nameRequest(null);
    try {
      if (Object.keys(connection.subscriptions).length > maxOperations) {
        const message = `must not be more than ${maxOperations} at once on a socket`;
        throw validationError([{ path: 'query', code: 'too_many_operations', message }]);
      }
      takeRequest(app, extra.caller!);
      const { schema, parse, validate, contextFactory, execute, subscribe } = front.getEnveloped({
        caller: extra.caller,
        requestId,
      });
      const document = parse(documents.readDocument(payload, true));
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
      const wrapped = error instanceof GraphQLError ? error : wrap(error);
      return [presentError(app, requestId, wrapped)];
    }
  }

  const running = useServer<Record<string, unknown>, SocketState>(
    {
      execute: (args) => (args.rootValue as Executors).execute(args),
      subscribe: (args) => (args.rootValue as Executors).subscribe(args),
      connectionInitWaitTimeout: initWithinMs,
      onConnect: admit,
      onDisconnect: ({ extra }) => extra.stopWatching?.(),
      onSubscribe: (connection, _id, payload) => begin(connection, payload),
      onNext(_connection, _id, _payload, { contextValue }, { errors, ...members }) {
        if (!errors) return undefined;
        const { requestId } = contextValue as GraphqlContext;
        const shown = errors.map((error) => presentError(app, requestId, error).toJSON());
        return { ...members, errors: shown } as FormattedExecutionResult;
      },
    },
    sockets,
    pingEveryMs,
  );
  return {
    async close() {
      const cut = setTimeout(
        () => sockets.clients.forEach((socket) => socket.terminate()),
        closeMs,
      );
      await running.dispose();
      clearTimeout(cut);
    },
  };
}

interface Executors {
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
  subscribe(args: ExecutionArgs): Promise<AsyncGenerator<ExecutionResult> | ExecutionResult>;
}

interface OperationPayload extends DocumentRequest {
  query: string;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
}

/** In the connection parameters, as browsers must; or in the header of the upgrade. */
function readAuthorization(
  params: Record<string, unknown> | undefined,
  { request }: SocketState,
): string | undefined {
  const { authorization, Authorization, apiKey } = params ?? {};
  if (typeof apiKey === 'string') return `Bearer ${apiKey}`;
  const given = authorization ?? Authorization;
  return typeof given === 'string' ? given : request.headers.authorization;
}

function refuse({ socket, stopWatching }: SocketState): void {
  stopWatching?.();
  socket.close(4401, 'Unauthorized');
}

function wrap(error: unknown): GraphQLError {
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError });
}
