// A GraphQL socket without a client library, for messages that no library sends.
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { WebSocket, type ClientOptions } from 'ws';
import type { Message } from '../graphql/graphql.ts';

const transport = 'graphql-transport-ws';

/** A socket that is not open yet. */
export function createSocket(url: string, protocols = [transport], options: ClientOptions = {}) {
  return new WebSocket(`${url.replace('http', 'ws')}/graphql`, protocols, options);
}

export async function openSocket(url: string, protocols?: string[]): Promise<WebSocket> {
  const socket = createSocket(url, protocols);
  await once(socket, 'open');
  return socket;
}

/** A socket that is open and acknowledged. */
export async function openOwnSocket(url: string, apiKey: string): Promise<WebSocket> {
  const socket = await openSocket(url);
  const acknowledged = once(socket, 'message');
  send(socket, { type: 'connection_init', payload: { apiKey } });
  await acknowledged;
  return socket;
}

export function send(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify(message));
}

export async function nextMessage(socket: WebSocket): Promise<Message> {
  const [data] = (await once(socket, 'message')) as [Buffer];
  return JSON.parse(data.toString());
}

export async function closeOf(socket: WebSocket): Promise<{ code: number; reason: string }> {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return { code, reason: reason.toString() };
}

/** The HTTP answer that declines the upgrade. */
export async function refusalOf(
  socket: WebSocket,
): Promise<{ status: number | undefined; retryAfter: string | undefined; text: string }> {
  const [, response] = await once(socket, 'unexpected-response');
  const chunks: Buffer[] = await response.toArray();
  return {
    status: response.statusCode,
    retryAfter: response.headers['retry-after'],
    text: Buffer.concat(chunks).toString(),
  };
}

export const upgradeRequest =
  'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
  'Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n';

/** A TCP connection on which nothing has been sent. */
export async function connectTcp(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  return socket;
}

/** The TCP connection of an opened socket. Tests write to it directly, so they can break the protocol. */
export async function openTcpSocket(url: string): Promise<Socket> {
  const socket = await connectTcp(url);
  socket.write(upgradeRequest);
  await once(socket, 'data');
  return socket;
}
