// A network behind a port of loopback, with the faults that its switchboard plans.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NetworkServer } from './contract/subject.ts';
import { callHeader, faultHeader, stallMs, type Fault, type Switchboard } from './faults.ts';

export interface FaultyServer {
  readonly url: string;
  /** Runs when the head of a request has arrived, and after the network has handled the request. */
  onRequest?: (moment: 'before' | 'after', incoming: IncomingMessage) => void;
  close(): Promise<void>;
}

export async function startFaultyServer(
  network: NetworkServer,
  switchboard: Switchboard,
): Promise<FaultyServer> {
  /** Requests that the network carries out once it answers the next request. */
  const late: Request[] = [];
  const server = createServer((incoming, outgoing) => {
    const fault = incoming.headers[faultHeader] as Fault | undefined;
    faulty.onRequest?.('before', incoming);
    toRequest(incoming)
      .then(async (request) => {
        const lateNow = late.splice(0);
        const response = await serve(network, request, fault);
        for (const each of lateNow) await network.answer(each);
        faulty.onRequest?.('after', incoming);
        if (response === 'late') late.push(request);
        const isHanging = response === 'hang' || response === 'late';
        if (isHanging) switchboard.hang(String(incoming.headers[callHeader]));
        else await send(outgoing, response);
      })
      .catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const faulty: FaultyServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return faulty;
}

async function serve(
  network: NetworkServer,
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
      return network.refuse('error', request);
    case 'hang_before':
      return 'hang';
    case 'unavailable':
    case 'limited':
    case 'limited_with_retry_after':
    case 'rejected':
      return network.refuse(fault, request);
    case 'echoed':
      return echo(network.refuse('rejected', request), request);
    case 'token_expired':
      await network.expireToken?.();
      return network.answer(request);
    case 'token_revoked':
      await network.revokeToken();
      return network.answer(request);
    case 'answer_lost':
      await network.answer(request);
      return 'cut';
    case 'error_after':
      await network.answer(request);
      return network.refuse('error', request);
    case 'hang_after':
      await network.answer(request);
      return 'hang';
    case 'taken_late':
      return 'late';
    case 'stall_before':
      await sleep(stallMs);
      return network.refuse('unavailable', request);
    case 'stall_after': {
      const response = await network.answer(request);
      await sleep(stallMs);
      return response;
    }
    case 'stall_late':
      await sleep(stallMs);
      return network.answer(request);
    case 'garbage':
      await network.answer(request);
      return new Response('<html>All is well</html>', { status: 200 });
  }
}

/** The same refusal, but each of its texts also has the address and the token of the request. */
async function echo(refusal: Response, { url, headers }: Request): Promise<Response> {
  const token = headers.get('authorization') ?? '';
  const said = JSON.parse(await refusal.text(), (_, value: unknown) =>
    typeof value === 'string' ? `${value} ${url} ${token}` : value,
  ) as unknown;
  return Response.json(said, { status: refusal.status });
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
