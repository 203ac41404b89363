// A receiver that answers with bytes of the test's choice. The test also decides when, and how much of them.
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface RawReceiver extends AsyncDisposable {
  readonly url: string;
  /** How many whole requests have arrived so far. */
  readonly requestCount: number;
}

/** Calls `answer` for every request once its body is complete. */
export async function startRawReceiver(answer: (socket: Socket) => void): Promise<RawReceiver> {
  const sockets = new Set<Socket>();
  let requestCount = 0;
  const server = createServer((socket) => {
    let seen = '';
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      seen += chunk;
      if (!isWhole(seen)) return;
      seen = '';
      requestCount++;
      answer(socket);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requestCount() {
      return requestCount;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function isWhole(request: string): boolean {
  const headEnd = request.indexOf('\r\n\r\n');
  const length = /content-length: *(\d+)/i.exec(request.slice(0, headEnd))?.[1];
  return headEnd !== -1 && request.length >= headEnd + 4 + Number(length ?? 0);
}
