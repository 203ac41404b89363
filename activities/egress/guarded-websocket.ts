// WebSockets to hosts that users name, on guarded sockets.
import { on, once } from 'node:events';
import type { ClientRequestArgs } from 'node:http';
import { WebSocket, type ClientOptions } from 'ws';
import { checkUrlSyntax } from '../../schema/wire/url-rules.ts';
import { currentOwner } from './guarded-fetch.ts';
import { openSocket, SocketTrace } from './guarded-socket.ts';
import type { SocketCallback, SocketSettings } from './guarded-socket.ts';
import { createKeyedLimit } from '../keyed-limits.ts';
import { BlockedAddressError } from './url-guard.ts';

export interface WebSocketSettings extends SocketSettings {
  /** Maximum number of connections of a project to an origin. */
  connectionsPerOrigin: number;
  /** Deadline, counted from the call until `use` has ended. */
  deadlineMs: number;
  /** Maximum size of all messages together. */
  maxBytes: number;
}

export interface MessageSocket {
  send(text: string): void;
  /**
   * Ends when the server closes the connection. Throws if the connection breaks, carries too much, or lasts
   * too long.
   */
  readonly messages: AsyncIterable<string>;
}

/** Opens a connection to a `wss:` URL, runs `use`, and closes the connection when `use` has ended. */
export type WithWebSocket = <T>(
  url: string,
  signal: AbortSignal,
  use: (socket: MessageSocket) => Promise<T>,
) => Promise<T>;

/**
 * A connection with this many unread messages is paused, so that a flood of messages stays in the network's
 * buffers.
 */
const messagesAhead = 16;

/** Redirects are errors. A `ws:` URL is guarded like an `http:` URL. */
export function createWithWebSocket(settings: WebSocketSettings): WithWebSocket {
  const limit = createKeyedLimit(settings.connectionsPerOrigin);

  return async function withWebSocket(given, signal, use) {
    const checked = checkUrlSyntax(given.replace(/^ws/i, 'http'));
    if (!checked.ok) throw new BlockedAddressError(checked.message);
    const { url } = checked;
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(settings.deadlineMs)]);
    return limit(`${currentOwner()} ${url.origin}`, async () => {
      deadline.throwIfAborted();
      const socket = new WebSocket(url, toOptions(settings, url));
      // Closing a socket that is still opening emits an error after all other listeners are gone.
      socket.on('error', () => {});
      const end = () => socket.terminate();
      deadline.addEventListener('abort', end);
      try {
        const received = on(socket, 'message', {
          close: ['close'],
          signal: deadline,
          highWaterMark: messagesAhead,
          lowWaterMark: 1,
        });
        await once(socket, 'open', { signal: deadline });
        const messages = readTexts(received as AsyncIterable<[Buffer]>, settings.maxBytes);
        return await use({ send: (text) => socket.send(text), messages });
      } finally {
        deadline.removeEventListener('abort', end);
        end();
      }
    });
  };
}

function toOptions(settings: WebSocketSettings, { hostname, protocol, port }: URL) {
  const target = {
    owner: currentOwner(),
    hostname: hostname.replace(/^\[|\]$/g, ''),
    protocol,
    port,
  };
  const createConnection: ClientRequestArgs['createConnection'] = (_options, callback) =>
    openSocket(settings, target, new SocketTrace(), callback as SocketCallback);
  return {
    maxPayload: settings.maxBytes,
    perMessageDeflate: false,
    // Doesn't answer pings by itself. Otherwise, a server that sends endless pings, but never reads, could
    // fill our memory with answers.
    autoPong: false,
    // ws passes this to node:http, but declares it as net.connect.
    createConnection: createConnection as unknown as NonNullable<ClientOptions['createConnection']>,
  };
}

async function* readTexts(received: AsyncIterable<[Buffer]>, maxBytes: number) {
  let bytes = 0;
  for await (const [message] of received) {
    bytes += message.length;
    if (bytes > maxBytes) throw new RangeError('The server sent too much.');
    yield message.toString();
  }
}
