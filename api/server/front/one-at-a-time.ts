// Answers the requests of a connection one at a time, in their order.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Respond = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** A client that sends more before it has read an answer is cut off. */
const maxWaiting = 100;

/**
 * Node hands over every request that a client has sent, even before the answers to the requests before it
 * (pipelining). Handled all at once, the requests of one packet could fill the memory with their answers.
 */
export function oneAtATime(respond: Respond): Respond {
  const waiting = new WeakMap<Socket, number>();

  return (incoming, outgoing) => {
    const { socket } = incoming;
    // Node gives the socket to an answer once the answers before it are sent.
    if (outgoing.socket) {
      respond(incoming, outgoing);
      return;
    }
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > maxWaiting) socket.destroy();
    outgoing.once('socket', () => {
      waiting.set(socket, waiting.get(socket)! - 1);
      respond(incoming, outgoing);
    });
  };
}
