// A network of containers with the calls of Threads: it fetches the picture of each post. A container is finished
// at the second read; that of a post without a picture, once `/finish` is called.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { threads } from '../../../schema/platforms/threads.ts';

/** Reads that are left until the container is finished. */
const containers = new Map<string, number>();
let isFinishing = false;
const firstId = 17_900_000_000_000_000n;
let count = 0n;

const newId = () => String(firstId + count++);

/** The token of an account is its ID. */
async function answer(request: IncomingMessage): Promise<object> {
  const { pathname } = new URL(request.url!, 'http://network.test');
  const [, , node = '', edge] = pathname.split('/');
  if (pathname === '/finish' || pathname === '/wait') {
    isFinishing = pathname === '/finish';
    return {};
  }
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
  const id = newId();
  const imageUrl = form.get('image_url');
  containers.set(id, imageUrl === null ? Infinity : 1);
  if (imageUrl === null) return { id };
  const response = await fetch(imageUrl);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`The picture answered ${response.status}.`);
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
  const isFinished = left <= 0 || (isFinishing && left === Infinity);
  return { id, status: isFinished ? 'FINISHED' : 'IN_PROGRESS' };
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
