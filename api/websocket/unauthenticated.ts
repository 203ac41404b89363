// Limits sockets that have sent no key yet: their number, and how much each may send.
import type { Duplex } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { WebSocket } from 'ws';

/** Enough for a key, but little to keep in memory. */
const maxBytes = 16 * 1_024;

export function createUnauthenticated(max: number) {
  /** Each value stops the count of the bytes that its socket sends. */
  const open = new LRUCache<WebSocket, () => void>({
    max,
    dispose(stopCounting, socket, reason) {
      stopCounting();
      if (reason === 'evict') socket.terminate();
    },
  });

  return {
    /**
     * Above the limit, the socket that has been silent longest is closed. An honest client shows a key at
     * once.
     */
    add(socket: WebSocket, wire: Duplex): void {
      let bytes = 0;
      const count = (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) socket.terminate();
      };
      wire.on('data', count);
      open.set(socket, () => wire.off('data', count));
      socket.once('close', () => open.delete(socket));
    },
    /** The socket has sent its key. */
    admit: (socket: WebSocket) => void open.delete(socket),
  };
}
