// GraphQL over WebSocket: authentication, limits and closing.
import type { IncomingMessage, Server } from 'node:http';
import {
  GRAPHQL_TRANSPORT_WS_PROTOCOL,
  handleProtocols,
  makeServer,
  type Context as SocketContext,
} from 'graphql-ws';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import { AppError } from '../../schema/wire/errors.ts';
import { createKeyedCounter } from '../../activities/keyed-limits.ts';
import { openWebSockets } from '../../activities/metrics.ts';
import type { Context } from '../http/context.ts';
import { type Credentials, authenticateRequest, ofUpgrade } from '../http/auth/sessions.ts';
import type { KeyWatch } from '../live/key-watch.ts';
import { serveOperations, type OperationOptions, type SocketOwner } from './operation.ts';
import { logRefusal } from '../http/limited-lines.ts';
import { createUnauthenticated } from './unauthenticated.ts';
import { openWire } from './wire.ts';
import { graphqlPath } from '../graphql/server/yoga.ts';

interface SocketState extends SocketOwner {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  /** Releases the place of the socket. */
  leave?: () => void;
}

type Connection = SocketContext<Record<string, unknown>, SocketState>;

/** The share of all sockets that unauthenticated sockets may take. */
const unauthenticatedShare = 0.5;
const full = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n\r\n';
const otherProtocol =
  'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n' +
  `The WebSocket subprotocol must be ${GRAPHQL_TRANSPORT_WS_PROTOCOL}.\n`;
/** A socket without a key after this time is closed. */
const initWithinMs = 3_000;
/** How long a client may take to close its side. It gets less time when the server shuts down. */
const closeMs = 5_000;
const lastCloseMs = 1_000;

/** Other upgrades are ignored, such as the h2c that some clients offer with every request. */
export function isSocketRequest({ url, headers }: IncomingMessage): boolean {
  return url?.split('?')[0] === graphqlPath && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Returns a function that closes all sockets. */
export function serveSockets(
  server: Server,
  app: Context,
  { keyWatch, ...operations }: OperationOptions & { keyWatch: KeyWatch },
): () => Promise<void> {
  const { maxBodyBytes, sockets: limits } = app.config;
  const options: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    maxPayload: maxBodyBytes,
    perMessageDeflate: false,
    handleProtocols,
    closeTimeout: closeMs,
  };
  const sockets = new WebSocketServer(options);
  /** Open sockets of each project in this process. */
  const connections = createKeyedCounter();
  const unauthenticated = createUnauthenticated(Math.ceil(limits.max * unauthenticatedShare));

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const refusal = sockets.clients.size >= limits.max ? full : refuseProtocol(request);
    if (refusal) {
      socket.end(refusal, () => socket.destroy());
      return;
    }
    sockets.handleUpgrade(request, socket, head, (open) => {
      const ended = new AbortController();
      const state: SocketState = { socket: open, request, ended: ended.signal };
      openWebSockets.inc();
      open.once('close', () => {
        openWebSockets.dec();
        ended.abort();
      });
      unauthenticated.add(open, socket);
      openWire(protocol, open, state, { ...limits, log: app.log });
    });
  });

  async function admit({ connectionParams, extra }: Connection): Promise<boolean> {
    try {
      const caller = await authenticateRequest(app, readCredentials(connectionParams, extra));
      if (connections.get(caller.projectId) >= limits.maxPerProject) {
        extra.socket.close(1013, 'The project has too many sockets');
        return false;
      }
      connections.add(caller.projectId);
      const stopWatching = keyWatch.watch(caller, () => refuse(extra));
      extra.leave = () => {
        delete extra.leave;
        connections.remove(caller.projectId);
        stopWatching();
      };
      unauthenticated.admit(extra.socket);
      extra.caller = caller;
      if (extra.socket.readyState !== extra.socket.OPEN) extra.leave?.();
      return true;
    } catch (error) {
      const isUnknown = error instanceof AppError && error.code === 'unauthorized';
      if (isUnknown) {
        logRefusal(app.log, error, undefined);
        refuse(extra);
      } else extra.socket.close(1013, 'Try again later');
      return false;
    }
  }

  const protocol = makeServer<Record<string, unknown>, SocketState>({
    ...serveOperations<SocketState>(app, operations),
    connectionInitWaitTimeout: initWithinMs,
    onConnect: admit,
    onClose: ({ extra }) => extra.leave?.(),
  });
  return async () => {
    // Refuses new sockets, also on connections that are already open.
    sockets.close();
    const open = [...sockets.clients];
    // A socket that fails closes too.
    const closed = Promise.all(
      open.map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    );
    for (const socket of open) socket.close(1001, 'Going away');
    const cut = setTimeout(() => open.forEach((socket) => socket.terminate()), lastCloseMs);
    await closed;
    clearTimeout(cut);
  };
}

/** Without a subprotocol, the library closes the open socket with its own reason. */
function refuseProtocol({ headers }: IncomingMessage): string | undefined {
  const offered = headers['sec-websocket-protocol'];
  return offered === undefined || handleProtocols(offered) ? undefined : otherProtocol;
}

/**
 * The key from the connection parameters, where browsers must send it, or from the header of the upgrade. Browsers
 * can't send the header that asks for a session, so a parameter asks for it.
 */
function readCredentials(
  params: Record<string, unknown> | undefined,
  { request }: SocketState,
): Credentials {
  const { authorization, Authorization, apiKey, session } = params ?? {};
  const credentials = ofUpgrade(request.headers);
  if (typeof apiKey === 'string') return { ...credentials, authorization: `Bearer ${apiKey}` };
  const given = authorization ?? Authorization;
  if (typeof given === 'string') return { ...credentials, authorization: given };
  return { ...credentials, isSession: session === true };
}

function refuse({ socket, leave }: SocketState): void {
  leave?.();
  socket.close(4401, 'Unauthorized');
}
