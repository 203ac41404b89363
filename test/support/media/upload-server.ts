// An HTTP server that takes only uploads, with limits that the test sets; and requests written by hand.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createUploads, type UploadOptions } from '../../../api/media/uploads.ts';
import type { Context } from '../../../api/http/context.ts';

export interface UploadServer extends AsyncDisposable {
  /** The same upload URL at this server. */
  at(uploadUrl: string): string;
}

export async function startUploads(
  context: Context,
  options?: Partial<UploadOptions>,
): Promise<UploadServer> {
  const uploads = createUploads(context, options);
  const server = createServer()
    .on('request', (incoming, outgoing) => void uploads.respond(incoming, outgoing))
    .on('checkContinue', (incoming, outgoing) => void uploads.respond(incoming, outgoing))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    at(uploadUrl) {
      const url = new URL(uploadUrl);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await uploads.close();
    },
  };
}

export interface RawUpload extends Disposable {
  readonly socket: Socket;
  /** Resolves once the connection is closed. */
  readonly ended: Promise<unknown>;
  /** What arrived so far. */
  text(): string;
  /**
   * Resolves with everything that arrived, once it contains the words or the server closes the connection.
   */
  until(words: string): Promise<string>;
}

/** Sends the head of a request and nothing more. */
export function sendHead(url: string, headers: readonly string[], method = 'PUT'): RawUpload {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (data) => (text += String(data))).on('error', () => undefined);
  const ended = new Promise((resolve) => socket.once('close', resolve));
  const lines = [`${method} ${pathname}${search} HTTP/1.1`, 'Host: x', ...headers];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return {
    socket,
    ended,
    text: () => text,
    async until(words) {
      while (!text.includes(words) && !socket.closed) {
        await Promise.race([new Promise((resolve) => socket.once('data', resolve)), ended]);
      }
      return text;
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
