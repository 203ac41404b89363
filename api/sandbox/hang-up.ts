// How the sandbox lets a client down below HTTP: answers held back, and connections cut off.
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context as HonoContext } from 'hono';

/** What the front server hands over, so that a connection can be cut off. */
export interface NodeBindings {
  req?: IncomingMessage;
}

export type SandboxRequest = HonoContext<{ Bindings: NodeBindings }>;

export async function hold(delayMs: number): Promise<void> {
  if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
}

/** Without a socket at hand the answer breaks off after its head instead. */
export function hangUp(c: SandboxRequest): Response {
  const socket = (c.env as NodeBindings | undefined)?.req?.socket;
  if (!socket) {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('The sandbox lost its answer.')),
    });
    return new Response(broken, { status: 201 });
  }
  socket.destroy();
  return new Response(null, { status: 204 });
}
