// The inboxes in memory: the last requests of each, with limits on number and size.
import { LRUCache } from 'lru-cache';

export interface ReceivedRequest {
  received_at: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Status of the response. */
  status: number;
}

const maxNames = 100;
const maxRequests = 100;
export const maxBytes = 64 * 1024 * 1024;
const maxRequestBytes = maxBytes / 2;
const maxCountedBytes = 4 * 1024 * 1024;

export function createInboxStore() {
  const inboxes = new LRUCache<string, Inbox>({ max: maxNames });
  const countBytes = () => inboxes.values().reduce((sum, inbox) => sum + inbox.bytes, 0);

  return {
    open(name: string): Inbox {
      const inbox = inboxes.get(name) ?? new Inbox();
      inboxes.set(name, inbox);
      // Inboxes grow after they are stored, so the cache can't limit their bytes by itself.
      while (countBytes() > maxBytes && inboxes.size > 1) inboxes.pop();
      return inbox;
    },
    find: (name: string) => inboxes.peek(name),
    names: () => [...inboxes.keys()],
    delete: (name: string) => inboxes.delete(name),
  };
}

export class Inbox {
  /** Newest first. */
  readonly requests: ReceivedRequest[] = [];
  secret: string | undefined;
  #requestBytes = 0;
  readonly #counts = new LRUCache<string, number>({
    maxSize: maxCountedBytes,
    sizeCalculation: (_, deliveryId) => sizeOfEntry(deliveryId),
  });

  get bytes(): number {
    return this.#requestBytes + this.#counts.calculatedSize;
  }

  keep(request: ReceivedRequest): void {
    this.requests.unshift(request);
    this.#requestBytes += sizeOf(request);
    while (this.requests.length > maxRequests || this.#requestBytes > maxRequestBytes) {
      this.#requestBytes -= sizeOf(this.requests.pop()!);
    }
  }

  /** Counts the requests with this delivery ID, including this one. */
  count(deliveryId: string): number {
    const count = (this.#counts.get(deliveryId) ?? 0) + 1;
    this.#counts.set(deliveryId, count);
    return count;
  }
}

function sizeOf({ path, headers, body }: ReceivedRequest): number {
  const entries = Object.entries(headers).map(([name, value]) => sizeOfEntry(name + value));
  return sizeOfText(path) + sizeOfText(body) + entries.reduce((sum, size) => sum + size, 0);
}

/** A character takes at most two bytes. An entry of a map or an object takes about 100 more. */
const sizeOfText = (text: string) => text.length * 2;
const sizeOfEntry = (text: string) => sizeOfText(text) + 100;
