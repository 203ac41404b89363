// Sockets that have shown no key yet: how many there may be, and how much each may say.
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** Room for a key, and not for much that would have to be kept. */
const maxBytes = 16 * 1_024;

export interface Unauthenticated {
  /** Above the limit, the one that has been silent longest is closed. An honest client shows a key at once. */
  add(socket: WebSocket, wire: Duplex): void;
  /** It has shown its key. */
  admit(socket: WebSocket): void;
}

export function createUnauthenticated(max: number): Unauthenticated {
  /** How to stop counting what each says. */
  const open = new Map<WebSocket, () => void>();

  function remove(socket: WebSocket): void {
    open.get(socket)?.();
    open.delete(socket);
  }

  return {
    add(socket, wire) {
      let bytes = 0;
      const count = (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) socket.terminate();
      };
      wire.on('data', count);
      open.set(socket, () => wire.off('data', count));
      socket.once('close', () => remove(socket));
      if (open.size <= max) return;
      const [oldest] = open.keys();
      remove(oldest!);
      oldest!.terminate();
    },
    admit: remove,
  };
}
