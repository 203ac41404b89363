// A web server with files, for media that are given by URL.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FileServer extends AsyncDisposable {
  readonly url: string;
  /** Files by path. Every other path is a 404. */
  readonly answers: Record<string, RequestListener>;
}

export async function startFileServer(
  answers: Record<string, RequestListener>,
): Promise<FileServer> {
  const server = createServer((request, response) => {
    const answer = answers[request.url!];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
