// A network of containers with the calls of Threads: it fetches the picture of each post, and finishes at the second read.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { threads } from '../../../schema/platforms/threads.ts';

/** Reads that are left until the container is finished. */
const containers = new Map<string, number>();
const firstId = 17_900_000_000_000_000n;
let count = 0n;

const newId = () => String(firstId + count++);

/** The token of an account is its ID. */
async function answer(request: IncomingMessage): Promise<object> {
  const { pathname } = new URL(request.url!, 'http://network.test');
  const [, , node = '', edge] = pathname.split('/');
  if (node === 'debug_token') return { data: { scopes: threads.scopes } };
  switch (edge) {
    case 'threads_publishing_limit':
      return { data: [{ quota_usage: 0, config: { quota_total: 250 } }] };
    case 'threads':
      return createContainer(await readForm(request));
    case 'threads_publish':
      return { id: newId() };
    default:
      return node === 'me' ? showAccount(request) : showObject(node);
  }
}

async function createContainer(form: URLSearchParams): Promise<object> {
  const response = await fetch(form.get('image_url')!);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`The picture answered ${response.status}.`);
  const id = newId();
  containers.set(id, 1);
  return { id };
}

function showAccount({ headers }: IncomingMessage): object {
  const id = headers.authorization!.slice('Bearer '.length);
  return { id, username: `bench${id}` };
}

/** A container, or a post. */
function showObject(id: string): object {
  const left = containers.get(id);
  if (left === undefined) return { id, permalink: `https://threads.net/@bench/post/${id}` };
  containers.set(id, left - 1);
  return { id, status: left > 0 ? 'IN_PROGRESS' : 'FINISHED' };
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  return new URLSearchParams(text);
}

const server = createServer((request, response) => {
  answer(request).then(
    (body) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    (error: unknown) => response.writeHead(503).end(String(error)),
  );
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('disconnect', () => process.exit(0));
process.send!({ port: (server.address() as AddressInfo).port });
