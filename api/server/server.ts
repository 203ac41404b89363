// The HTTP server: one port for GraphQL, REST, the sandbox and the pages.
import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import type { Context } from '../http/context.ts';
import { createKeyWatch } from '../live/key-watch.ts';
import type { McpEndpoint } from '../mcp/endpoint.ts';
import { askForBody } from '../media/upload-request.ts';
import { createPublicMedia, isPublicMediaUrl } from '../media/public-media.ts';
import { createUploads, isUploadUrl, type Uploads } from '../media/uploads.ts';
import { observeRequest } from './metrics.ts';
import { oneAtATime } from './front/one-at-a-time.ts';
import { hasAddress, refuseAddress, toPath } from './front/request-target.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { isSocketRequest, serveSockets } from '../websocket/sockets.ts';
import type { StoredDocuments } from '../graphql/server/stored-documents.ts';
import { createYogaServer, type NodeRequest } from '../graphql/server/yoga.ts';
import { useCompression } from './front/use-compression.ts';
import { useCors } from './front/use-cors.ts';
import { hasBody, useEarlyAnswers } from './front/use-early-answers.ts';
import { useRouter, type Respond, type Routes } from './front/use-router.ts';

interface Router {
  fetch(request: Request, node?: NodeRequest): Response | Promise<Response>;
}

interface ServerParts {
  documents: StoredDocuments;
  /** Answers every path that has no other handler, with 404 if the path doesn't exist. */
  rest: Router;
  connect: Router;
  /** The page on which a creator reviews a post. */
  share: Router;
  /** Calls of networks, and the pages of data deletions. */
  inbound: Router;
  /** Undefined: the dashboard is off. */
  dashboard?: { fetch(request: Request, node: NodeRequest): Response | Promise<Response> };
  /** The logos and icons of projects. */
  brand: Router;
  sandbox?: { fetch(request: Request, node: NodeRequest): Response | Promise<Response> };
  /** Tools for agents. */
  mcp: McpEndpoint;
  home: Respond;
}

export interface Server {
  /** Returns the port. `on`: a port, or the server that holds it. */
  listen(on: number | NetServer, host: string): Promise<number>;
  /** Ends streams and idle connections at once, and waits for running requests. */
  close(): Promise<void>;
}

const closeTimeoutMs = 5_000;
/** Node's own defaults. */
const headersTimeoutMs = 60_000;
const requestTimeoutMs = 300_000;
/** Longer than the idle timeout of most load balancers, which would otherwise send to a closed connection. */
const keepAliveTimeoutMs = 75_000;

/** Cuts off a client that reads nothing of its answer, which stays in memory. */
function limitUnread(outgoing: ServerResponse, stalledMs: number): void {
  let before = 0;
  const timer = setInterval(() => {
    const unread = unreadBytes(outgoing.socket);
    if (unread > 0 && unread === before) outgoing.socket?.destroy();
    before = unread;
  }, stalledMs).unref();
  outgoing.once('close', () => clearInterval(timer));
}

/**
 * The bytes that wait to be sent. Node's own socket timeout compares this number too, but Yoga switches the
 * timeout off.
 */
function unreadBytes(socket: Socket | null): number {
  return (socket as { _handle?: { writeQueueSize: number } } | null)?._handle?.writeQueueSize ?? 0;
}

/** Ends a request whose body doesn't arrive in time. */
function limitTime(incoming: IncomingMessage): void {
  if (incoming.complete || !hasBody(incoming)) return;
  const timer = setTimeout(() => incoming.destroy(), requestTimeoutMs).unref();
  const stop = () => clearTimeout(timer);
  incoming.once('end', stop).once('close', stop);
}

export function createServer(context: Context, parts: ServerParts): Server {
  const { documents, rest, connect, share, inbound, brand, dashboard, sandbox, mcp, home } = parts;
  const keyWatch = createKeyWatch(context);
  const routes: Routes = {
    '/': (request, node) =>
      /^(GET|HEAD)$/.test(request.method)
        ? home(request, node)
        : rest.fetch(request, { req: node.req }),
    '/connect': (request) => connect.fetch(request),
    '/share': (request) => share.fetch(request),
    '/inbound': (request) => inbound.fetch(request),
    '/data-deletion': (request) => inbound.fetch(request),
    ...(dashboard && { '/dashboard': (request, { req }) => dashboard.fetch(request, { req }) }),
    '/brand': (request) => brand.fetch(request),
    '/mcp': (request, { req }) =>
      new URL(request.url).pathname === '/mcp'
        ? respondToMcp(request)
        : rest.fetch(request, { req }),
    ...(sandbox && { '/sandbox': (request, { req }) => sandbox.fetch(request, { req }) }),
  };
  const yoga = createYogaServer(context, {
    keyWatch,
    documents,
    before: [
      useCors(context.config.corsOrigins),
      useRouter(context, routes, (request, { req }) => rest.fetch(request, { req })),
    ],
    after: [useCompression(), useEarlyAnswers()],
  });
  const uploads = createUploads(context);
  const publicMedia = createPublicMedia(context);

  async function respondToMcp(request: Request): Promise<Response> {
    const startedAtMs = performance.now();
    const response = await mcp.fetch(request);
    const { method } = request;
    observeRequest({ method, route: '/mcp', status: response.status }, startedAtMs);
    return response;
  }

  function respond(incoming: IncomingMessage, outgoing: ServerResponse): void {
    setSecurityHeaders(outgoing, context.publicUrl);
    incoming.url = toPath(incoming.url ?? '/');
    if (!hasAddress(incoming)) refuseAddress(context, incoming, outgoing);
    else if (isUploadUrl(incoming.url)) void transfer('/uploads/:id', uploads, incoming, outgoing);
    else if (isPublicMediaUrl(incoming.url)) {
      limitUnread(outgoing, context.config.stalledMs);
      void transfer('/media/:token/:file', publicMedia, incoming, outgoing);
    } else {
      limitTime(incoming);
      limitUnread(outgoing, context.config.stalledMs);
      askForBody(incoming, outgoing);
      void yoga(incoming, outgoing);
    }
  }

  /**
   * Bypasses Yoga, so that bytes of media are received and sent only as fast as the other side can take them.
   */
  async function transfer(
    route: string,
    { respond }: Pick<Uploads, 'respond'>,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const startedAtMs = performance.now();
    await respond(incoming, outgoing);
    const labels = { method: incoming.method ?? '', route };
    observeRequest({ ...labels, status: outgoing.statusCode }, startedAtMs);
  }

  const respondInTurn = oneAtATime(respond);
  const server = createHttpServer({
    shouldUpgradeCallback: isSocketRequest,
    // An upload takes as long as it needs. `limitTime` limits the other requests.
    requestTimeout: 0,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
  })
    .on('request', respondInTurn)
    // Uploads are checked before the client sends their bytes.
    .on('checkContinue', respondInTurn);
  const closeSockets = serveSockets(server, context, { yoga, keyWatch, documents });

  return {
    async listen(on, host) {
      const isPort = typeof on === 'number';
      await once(isPort ? server.listen(on, host) : server.listen(on).ref(), 'listening');
      return (server.address() as AddressInfo).port;
    },

    async close() {
      keyWatch.close();
      mcp.endWaits();
      const closed = new Promise((resolve) => server.close(resolve));
      // Closes the sockets first. Otherwise clients would close their sockets with their own code after their
      // streams end.
      await Promise.all([closeSockets(), context.feed.close()]);
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
      await closed;
      clearTimeout(timer);
      await mcp.close();
      await uploads.close();
      await yoga.dispose();
    },
  };
}
