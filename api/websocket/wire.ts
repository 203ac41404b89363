// One GraphQL socket on the wire: its messages, its unsent bytes and its silence.
import { CloseCode, MessageType, parseMessage, type Message, type Server } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { hasTooManyValues, maxJsonValues } from '../http/body.ts';

export interface WireOptions {
  /** A socket that doesn't answer a ping before the next one is cut. */
  pingEveryMs: number;
  /** A socket that runs no operation for this long is closed. */
  idleMs: number;
  log: Logger;
}

/** Above this, a stream waits until its bytes are written. */
const comfortableBytes = 64 * 1_024;
/** Above this, the socket is closed, because the client keeps asking without reading. */
const maxUnreadBytes = 16 * 1_024 * 1_024;

const ofClients: ReadonlySet<string> = new Set([
  MessageType.ConnectionInit,
  MessageType.Ping,
  MessageType.Pong,
  MessageType.Subscribe,
  MessageType.Complete,
]);

export function openWire<Extra extends Record<PropertyKey, unknown>>(
  server: Server<Extra>,
  socket: WebSocket,
  extra: Extra,
  { pingEveryMs, idleMs, log }: WireOptions,
): void {
  let isAlive = true;
  let usedAtMs = Date.now();
  /** The operations that the library still runs, even if the client completed them. */
  const running = new Set<string>();

  const pinging = setInterval(() => {
    if (!isAlive) {
      socket.terminate();
      return;
    }
    isAlive = false;
    if (socket.readyState === socket.OPEN) socket.ping();
    if (running.size > 0) usedAtMs = Date.now();
    else if (Date.now() - usedAtMs >= idleMs) socket.close(1000, 'Idle');
  }, pingEveryMs);

  function closeIfUnread(): void {
    if (socket.bufferedAmount <= maxUnreadBytes) return;
    socket.close(1013, 'Too many unread messages; resume after the last cursor');
  }

  const closed = server.opened(
    {
      protocol: socket.protocol,
      send(data) {
        if (socket.readyState !== socket.OPEN) return undefined;
        if (socket.bufferedAmount < comfortableBytes) {
          socket.send(data);
          return undefined;
        }
        // A failed send closes the socket, so the error is ignored here.
        return new Promise((resolve) => socket.send(data, () => resolve()));
      },
      close: (code, reason) => socket.close(code, reason),
      onMessage(take) {
        socket.on('message', (data) => {
          closeIfUnread();
          if (socket.readyState !== socket.OPEN) return;
          usedAtMs = Date.now();
          if (hasTooManyValues(data as Buffer)) {
            socket.close(1009, `A message must have at most ${maxJsonValues} values`);
            return;
          }
          const text = (data as Buffer).toString();
          const message = messageOfClient(text);
          if (!message) {
            socket.close(CloseCode.BadRequest, 'Invalid message received');
            return;
          }
          const id = message.type === MessageType.Subscribe ? message.id : undefined;
          if (id !== undefined && running.has(id)) {
            // A second operation with this ID would replace the running one. Then nobody could end the
            // running one.
            socket.close(CloseCode.SubscriberAlreadyExists, `The operation ${id} has not ended`);
            return;
          }
          if (id !== undefined) running.add(id);
          take(text)
            .catch((err: unknown) => {
              log.error({ component: 'websocket', err }, 'a socket message failed');
              socket.close(CloseCode.InternalServerError, 'Internal server error');
            })
            .finally(() => id !== undefined && running.delete(id));
        });
      },
    },
    extra,
  );
  socket.on('ping', closeIfUnread);
  socket.on('pong', () => (isAlive = true));
  // An error of the client. The socket closes itself.
  socket.on('error', ({ message }) =>
    log.debug({ component: 'websocket', message }, 'a socket failed'),
  );
  socket.once('close', (code, reason) => {
    clearInterval(pinging);
    void closed(code, String(reason));
  });
}

function messageOfClient(text: string): Message | undefined {
  try {
    const message = parseMessage(text);
    return ofClients.has(message.type) ? message : undefined;
  } catch {
    return undefined;
  }
}
