// Yoga plugin: event streams need a client that accepts them and keeps reading.
import type { ServerResponse } from 'node:http';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import { requireEventStream } from './use-accept.ts';

interface NodeResponse {
  readonly res: ServerResponse;
}

/** A stream's position when it last moved. */
interface Progress {
  sentBytes: number;
  atMs: number;
}

/** The timeout of a socket would cut it too, but Yoga disables that for streams. */
export function useEventStreams(stalledMs: number): Plugin<object, NodeResponse> {
  const open = new Map<ServerResponse, Progress>();
  let checking: NodeJS.Timeout | undefined;

  function check(): void {
    for (const [response, last] of open) {
      const { socket } = response;
      if (!socket) continue;
      const sentBytes = socket.bytesWritten - socket.writableLength;
      const hasMoved = socket.writableLength === 0 || sentBytes > last.sentBytes;
      if (hasMoved) open.set(response, { sentBytes, atMs: Date.now() });
      else if (Date.now() - last.atMs >= stalledMs) socket.destroy();
    }
  }

  function forget(response: ServerResponse): void {
    open.delete(response);
    if (open.size > 0) return;
    clearInterval(checking);
    checking = undefined;
  }

  return {
    onSubscribe({ args }) {
      // A WebSocket has no request.
      const { request } = args.contextValue as Partial<YogaInitialContext>;
      if (request) requireEventStream(request);
    },
    onResponse({ response, serverContext }) {
      if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) return;
      const { res } = serverContext as NodeResponse;
      open.set(res, { sentBytes: 0, atMs: Date.now() });
      res.once('close', () => forget(res));
      checking ??= setInterval(check, stalledMs / 4);
    },
  };
}
