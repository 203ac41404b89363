// A network behind a port of loopback, which does to a request what its switchboard wants done.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { callHeader, faultHeader, type Fault, type Switchboard } from './faults.ts';
import { Refusal } from './strict-requests.ts';

/** The network itself, told apart from how its answers travel. */
export interface Network {
  answer(request: Request): Promise<Response>;
  expireToken(accessToken: string): Promise<void> | void;
  revokeToken(accessToken: string): Promise<void> | void;
}

export interface FaultyServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startFaultyServer(
  network: Network,
  switchboard: Switchboard,
): Promise<FaultyServer> {
  /** What the network takes once the next request is answered. */
  const late: Request[] = [];
  const server = createServer((incoming, outgoing) => {
    const fault = incoming.headers[faultHeader] as Fault | undefined;
    toRequest(incoming)
      .then(async (request) => {
        const lateNow = late.splice(0);
        const response = await serve(network, request, fault);
        for (const each of lateNow) await network.answer(each);
        if (response === 'late') late.push(request);
        const isHanging = response === 'hang' || response === 'late';
        if (isHanging) switchboard.hang(String(incoming.headers[callHeader]));
        else await send(outgoing, response);
      })
      .catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  network: Network,
  request: Request,
  fault: Fault | undefined,
): Promise<Response | 'cut' | 'hang' | 'late'> {
  switch (fault) {
    case undefined:
    case 'refused':
      return network.answer(request);
    case 'cut_before':
      return 'cut';
    case 'error_before':
      return new Refusal(500, 'internal', 'Something broke.').toResponse();
    case 'hang_before':
      return 'hang';
    case 'unavailable':
      return new Refusal(503, 'unavailable', 'Down for maintenance.').toResponse();
    case 'limited':
      return new Refusal(429, 'limited', 'Too many requests.').toResponse();
    case 'limited_with_retry_after':
      return new Refusal(429, 'limited', 'Too many.', { 'retry-after': '1' }).toResponse();
    case 'rejected':
      return new Refusal(422, 'not_welcome', 'This is not welcome here.').toResponse();
    case 'token_expired':
      await network.expireToken(tokenOf(request));
      return network.answer(request);
    case 'token_revoked':
      await network.revokeToken(tokenOf(request));
      return network.answer(request);
    case 'answer_lost':
      await network.answer(request);
      return 'cut';
    case 'error_after':
      await network.answer(request);
      return new Refusal(500, 'internal', 'Something broke.').toResponse();
    case 'hang_after':
      await network.answer(request);
      return 'hang';
    case 'taken_late':
      return 'late';
    case 'garbage':
      await network.answer(request);
      return new Response('<html>All is well</html>', { status: 200 });
  }
}

async function send(outgoing: ServerResponse, response: Response | 'cut'): Promise<void> {
  if (response === 'cut') {
    outgoing.socket?.destroy();
    return;
  }
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(body);
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const { method = 'GET', url = '/' } = incoming;
  const body = new Uint8Array(await buffer(incoming));
  const headers = Object.entries(incoming.headers)
    .filter(([name]) => name !== faultHeader && name !== callHeader)
    .map(([name, value]) => [name, String(value)] as [string, string]);
  return new Request(new URL(url, 'http://network.test'), {
    method,
    headers,
    body: method === 'GET' ? null : body,
  });
}

const tokenOf = (request: Request) =>
  /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
