// GraphQL over WebSocket: who may open one, what may run on it, and when it is closed.
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type {
  ExecutionArgs,
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLError,
} from 'graphql';
import {
  GRAPHQL_TRANSPORT_WS_PROTOCOL,
  handleProtocols,
  makeServer,
  type Context as SocketContext,
} from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { AppError, validationError } from '../schema/errors.ts';
import { authenticate } from './auth.ts';
import type { Caller, Context } from './context.ts';
import { requireOperation } from './document-limits.ts';
import type { GraphqlContext } from './graphql-context.ts';
import { presentError, toGraphqlError } from './graphql-errors.ts';
import type { KeyWatch } from './live/key-watch.ts';
import { takeRequest } from './rate-limit.ts';
import { nameRequest } from './request-id.ts';
import { createSocketSeats } from './socket-seats.ts';
import { openWire } from './socket-wire.ts';
import type { DocumentRequest, StoredDocuments } from './stored-documents.ts';
import { graphqlPath } from './use-router.ts';
import type { Front } from './yoga.ts';

interface SocketState extends Record<PropertyKey, unknown> {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  caller?: Caller;
  subscriptions?: object;
  /** Gives back what was taken when it was admitted. */
  leave?: () => void;
}

type Connection = SocketContext<Record<string, unknown>, SocketState>;

const maxOperations = 100;
/** The part of the room for sockets that those may take together who have shown no key yet. */
const strangersShare = 0.5;
const full = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n\r\n';
const otherProtocol =
  'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n' +
  `The WebSocket subprotocol must be ${GRAPHQL_TRANSPORT_WS_PROTOCOL}.\n`;
/** A socket that has not named its key by then is closed. */
const initWithinMs = 3_000;
/** How long a client may take to close its side when the server goes down. */
const closeMs = 1_000;

export interface SocketOptions {
  front: Front;
  keyWatch: KeyWatch;
  documents: StoredDocuments;
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
  { front, keyWatch, documents }: SocketOptions,
): Sockets {
  const { maxBodyBytes, sockets: limits } = app.config;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxBodyBytes,
    perMessageDeflate: false,
    handleProtocols,
  });
  const seats = createSocketSeats(limits.maxPerProject);
  const strangers = new Set<WebSocket>();
  const maxStrangers = Math.ceil(limits.max * strangersShare);
  const isFull = () => sockets.clients.size >= limits.max || strangers.size >= maxStrangers;

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const refusal = isFull() ? full : refuseProtocol(request);
    if (refusal) {
      socket.end(refusal, () => socket.destroy());
      return;
    }
    sockets.handleUpgrade(request, socket, head, (open) => {
      const state: SocketState = { socket: open, request };
      strangers.add(open);
      open.once('close', () => strangers.delete(open));
      openWire(protocol, open, state, {
        ...limits,
        isBusy: () => Object.keys(state.subscriptions ?? {}).length > 0,
        log: app.log,
      });
    });
  });

  async function admit({ connectionParams, subscriptions, extra }: Connection): Promise<boolean> {
    try {
      const caller = await authenticate(app, readAuthorization(connectionParams, extra));
      const giveSeat = seats.take(caller.projectId);
      if (!giveSeat) {
        extra.socket.close(1013, 'Too many sockets of this project');
        return false;
      }
      const stopWatching = keyWatch.watch(caller.keyId, () => refuse(extra));
      extra.leave = () => {
        giveSeat();
        stopWatching();
      };
      strangers.delete(extra.socket);
      Object.assign(extra, { caller, subscriptions });
      if (extra.socket.readyState !== extra.socket.OPEN) extra.leave();
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

  const protocol = makeServer<Record<string, unknown>, SocketState>({
    execute: (args) => (args.rootValue as Executors).execute(args),
    subscribe: (args) => (args.rootValue as Executors).subscribe(args),
    connectionInitWaitTimeout: initWithinMs,
    onConnect: admit,
    onClose: ({ extra }) => extra.leave?.(),
    onSubscribe: (connection, _id, payload) => begin(connection, payload),
    onNext(_connection, _id, _payload, { contextValue }, { errors, ...members }) {
      if (!errors) return undefined;
      const { requestId } = contextValue as GraphqlContext;
      const shown = errors.map((error) => presentError(app, requestId, error).toJSON());
      return { ...members, errors: shown } as FormattedExecutionResult;
    },
  });
  return {
    async close() {
      const open = [...sockets.clients];
      const closed = Promise.all(open.map((socket) => once(socket, 'close')));
      for (const socket of open) socket.close(1001, 'Going away');
      const cut = setTimeout(() => open.forEach((socket) => socket.terminate()), closeMs);
      await closed;
      clearTimeout(cut);
      sockets.close();
    },
  };
}

/** Who names none is told by the library, on the open socket. */
function refuseProtocol({ headers }: IncomingMessage): string | undefined {
  const offered = headers['sec-websocket-protocol'];
  return offered === undefined || handleProtocols(offered) ? undefined : otherProtocol;
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

function refuse({ socket, leave }: SocketState): void {
  leave?.();
  socket.close(4401, 'Unauthorized');
}
