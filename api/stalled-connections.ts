// Cuts connections whose client takes nothing of what is sent: what waits for it would be kept for ever.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How far a connection was when it last moved. */
interface Progress {
  sentBytes: number;
  atMs: number;
}

/** Returns how to stop. A socket's own timeout would do it, but is switched off where a stream begins. */
export function cutStalledConnections(server: Server, stalledMs: number): () => void {
  const connections = new Map<Socket, Progress>();
  server.on('connection', (socket) => {
    connections.set(socket, { sentBytes: 0, atMs: Date.now() });
    socket.once('close', () => connections.delete(socket));
  });
  const checking = setInterval(() => {
    for (const [socket, last] of connections) {
      const sentBytes = socket.bytesWritten - socket.writableLength;
      const hasMoved = socket.writableLength === 0 || sentBytes > last.sentBytes;
      if (hasMoved) connections.set(socket, { sentBytes, atMs: Date.now() });
      else if (Date.now() - last.atMs >= stalledMs) socket.destroy();
    }
  }, stalledMs / 4);
  return () => clearInterval(checking);
}
