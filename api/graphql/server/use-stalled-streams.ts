// Yoga plugin: cuts streams of events whose client takes none of them; what waits there would be kept for ever.
import type { ServerResponse } from 'node:http';
import type { Plugin } from 'graphql-yoga';

interface NodeResponse {
  readonly res: ServerResponse;
}

/** How far a stream was when it last moved. */
interface Progress {
  sentBytes: number;
  atMs: number;
}

/** A socket's own timeout would do it, but Yoga switches that off where a stream begins. */
export function useStalledStreams(stalledMs: number): Plugin<object, NodeResponse> {
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
    onResponse({ response, serverContext }) {
      if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) return;
      const { res } = serverContext as NodeResponse;
      open.set(res, { sentBytes: 0, atMs: Date.now() });
      res.once('close', () => forget(res));
      checking ??= setInterval(check, stalledMs / 4);
    },
  };
}
