// What the inboxes hold: the last requests of each name, in memory, bounded in every direction.

export interface ReceivedRequest {
  received_at: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** What the sender was answered. */
  status: number;
}

export interface Inbox {
  /** Newest first. */
  readonly requests: readonly ReceivedRequest[];
  secret: string | undefined;
  keep(request: ReceivedRequest): void;
  /** How many requests with this delivery id came, with this one. */
  count(deliveryId: string): number;
}

export interface InboxStore {
  open(name: string): Inbox;
  find(name: string): Inbox | undefined;
  names(): string[];
  delete(name: string): void;
}

const maxNames = 100;
const maxRequests = 100;
const maxCounted = 10_000;
const maxBytes = 64 * 1024 * 1024;

export function createInboxStore(): InboxStore {
  // In the order of their last use: what must go is taken from the front.
  const inboxes = new Map<string, StoredInbox>();
  let bytes = 0;

  function remove(name: string): void {
    bytes -= inboxes.get(name)?.bytes ?? 0;
    inboxes.delete(name);
  }

  return {
    open(name) {
      const inbox = inboxes.get(name) ?? new StoredInbox((grown) => (bytes += grown));
      inboxes.delete(name);
      inboxes.set(name, inbox);
      while (inboxes.size > maxNames || (bytes > maxBytes && inboxes.size > 1)) {
        remove(inboxes.keys().next().value!);
      }
      return inbox;
    },
    find: (name) => inboxes.get(name),
    names: () => [...inboxes.keys()].toReversed(),
    delete: remove,
  };
}

class StoredInbox implements Inbox {
  readonly requests: ReceivedRequest[] = [];
  secret: string | undefined;
  bytes = 0;
  readonly #counts = new Map<string, number>();
  readonly #onGrow: (bytes: number) => void;

  constructor(onGrow: (bytes: number) => void) {
    this.#onGrow = onGrow;
  }

  keep(request: ReceivedRequest): void {
    this.requests.unshift(request);
    this.#grow(sizeOf(request));
    while (this.requests.length > maxRequests || this.bytes > maxBytes / 2) {
      this.#grow(-sizeOf(this.requests.pop()!));
    }
  }

  count(deliveryId: string): number {
    const count = (this.#counts.get(deliveryId) ?? 0) + 1;
    this.#counts.set(deliveryId, count);
    if (this.#counts.size > maxCounted) this.#counts.delete(this.#counts.keys().next().value!);
    return count;
  }

  #grow(bytes: number): void {
    this.bytes += bytes;
    this.#onGrow(bytes);
  }
}

/** Headers are bounded by Node's own limit of 16 KiB. */
function sizeOf({ body }: ReceivedRequest): number {
  return body.length * 2 + 32 * 1024;
}
