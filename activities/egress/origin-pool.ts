// The kept-alive connections of one project to one origin: undici clients whose sockets we can see.
import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { openSocket, SocketTrace, type SocketSettings } from './guarded-socket.ts';
import { NotBegunError } from './send-outcome.ts';

/**
 * The longest time until a refused request is tried again, because the receiver may recover sooner than
 * expected.
 */
const maxRetryAfterMs = 30_000;
/** Weight of the latest request in `#usualHoldMs`. */
const recency = 0.1;

export interface PoolSettings extends SocketSettings {
  connectionsPerOrigin: number;
  keepAliveMs: number;
}

/** A request that has a connection or waits for one. */
export interface PooledRequest extends Dispatcher.DispatchHandler {
  readonly options: Dispatcher.DispatchOptions;
  readonly startedAt: number;
  readonly isDone: boolean;
  /** How long the request may wait for a connection. */
  readonly beginWithinMs: number;
  wait(): void;
  begin(connection: Connection): void;
  countBytes(answerBytes: number): void;
  fail(reason: unknown): void;
}

export class Connection {
  trace = new SocketTrace();
  /** Number of requests written to the current socket. More than 0: the socket was kept alive. */
  served = 0;
  current: PooledRequest | null = null;
  isDestroyed = false;
  readonly pool: OriginPool;
  readonly #client: Client;
  #socket: Socket | null = null;
  #bytesBefore = 0;

  constructor(pool: OriginPool, settings: PoolSettings) {
    this.pool = pool;
    // All timeouts of undici are off, since each attempt has its own deadline.
    const { origin, owner } = pool;
    this.#client = new Client(origin, {
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: settings.keepAliveMs,
      keepAliveMaxTimeout: settings.keepAliveMs,
      connect: (target, callback) => {
        this.trace = new SocketTrace();
        this.served = 0;
        this.#socket = openSocket(settings, { ...target, owner }, this.trace, callback);
        this.#socket?.on('readable', () => process.nextTick(countBytes, this));
      },
    });
    // If an attempt is waiting, undici reconnects by itself.
    this.#client.on('disconnect', () => {
      if (!this.current) pool.drop(this);
    });
  }

  begin(attempt: PooledRequest): void {
    this.current = attempt;
    attempt.begin(this);
    this.pool.countBegun();
    this.#client.dispatch(attempt.options, attempt);
  }

  /** A request was written. Bytes from now on belong to its response. */
  countRequest(): number {
    this.#bytesBefore = this.#socket?.bytesRead ?? 0;
    return this.served++;
  }

  /** Bytes received since the request was written, encrypted or not. */
  get answerBytes(): number {
    return (this.#socket?.bytesRead ?? 0) - this.#bytesBefore;
  }

  destroy(): void {
    this.isDestroyed = true;
    this.#socket?.destroy();
    this.#client.destroy(null, ignore);
  }
}

export class OriginPool {
  readonly origin: string;
  readonly owner: string;
  lastUsedAt = 0;
  readonly #settings: PoolSettings;
  readonly #idle: Connection[] = [];
  readonly #waiting: PooledRequest[] = [];
  readonly #onEmpty: (pool: OriginPool) => void;
  #open = 0;
  #isClosed = false;
  /** Moving average of how long requests hold their connections. */
  #usualHoldMs = 0;
  /** When a request last began or ended. */
  #movedAt = 0;
  /** Time until which the connections are promised to refused requests. */
  #promisedUntil = 0;

  constructor(
    { origin, owner }: { origin: string; owner: string },
    settings: PoolSettings,
    onEmpty: (pool: OriginPool) => void,
  ) {
    this.origin = origin;
    this.owner = owner;
    this.#settings = settings;
    this.#onEmpty = onEmpty;
  }

  get isIdle(): boolean {
    return this.#open === this.#idle.length;
  }

  start(attempt: PooledRequest): void {
    this.lastUsedAt = attempt.startedAt;
    const idle = this.#idle.pop();
    if (idle) idle.begin(attempt);
    else if (this.#open < this.#settings.connectionsPerOrigin) this.#connect(attempt);
    else if (performance.now() - this.#movedAt > attempt.beginWithinMs) this.refuse(attempt);
    else {
      this.#waiting.push(attempt);
      attempt.wait();
    }
  }

  /**
   * Refuses the request, and estimates when a connection will be free. Each refusal moves the next estimate
   * to a later time.
   */
  refuse(attempt: PooledRequest): void {
    const index = this.#waiting.indexOf(attempt);
    if (index !== -1) this.#waiting.splice(index, 1);
    const now = performance.now();
    const latest = now + maxRetryAfterMs;
    const free = Math.max(this.#promisedUntil, now + this.#waitMs(this.#waiting.length));
    this.#promisedUntil = Math.min(free + this.#waitMs(1), latest);
    attempt.fail(new NotBegunError('Every connection is busy.', this.#promisedUntil - now));
  }

  countBegun(): void {
    this.#movedAt = performance.now();
  }

  /** The second try gets the slot of the connection that failed, before any waiting request. */
  restart(attempt: PooledRequest, failed: Connection): void {
    if (this.#forget(failed)) this.#connect(attempt);
  }

  /** After a complete response: the connection serves the next waiting request, or becomes idle. */
  release(connection: Connection): void {
    this.#recordEnd(connection);
    connection.current = null;
    if (connection.isDestroyed) return;
    const next = this.#nextWaiting();
    if (next) connection.begin(next);
    else if (this.#isClosed) this.drop(connection);
    else this.#idle.push(connection);
  }

  drop(connection: Connection): void {
    this.#recordEnd(connection);
    if (!this.#forget(connection)) return;
    const next = this.#nextWaiting();
    if (next) this.#connect(next);
    else if (this.#open === 0) this.#onEmpty(this);
  }

  /** Refuses waiting requests, closes idle connections, and lets running requests end. */
  close(): void {
    this.#isClosed = true;
    for (const attempt of this.#waiting.splice(0)) {
      attempt.fail(new NotBegunError('The client is closed.'));
    }
    for (const connection of this.#idle.splice(0)) this.drop(connection);
  }

  #connect(attempt: PooledRequest): void {
    this.#open += 1;
    new Connection(this, this.#settings).begin(attempt);
  }

  #forget(connection: Connection): boolean {
    if (connection.isDestroyed) return false;
    connection.current = null;
    connection.destroy();
    this.#open -= 1;
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    return true;
  }

  #recordEnd({ current }: Connection): void {
    if (!current) return;
    this.#movedAt = performance.now();
    const holdMs = this.#movedAt - current.startedAt;
    this.#usualHoldMs += (holdMs - this.#usualHoldMs) * recency;
  }

  /** Estimated time until `ahead` waiting requests have got a connection. */
  #waitMs(ahead: number): number {
    const holdMs = Math.max(this.#usualHoldMs, performance.now() - this.#movedAt);
    return (ahead * holdMs) / this.#settings.connectionsPerOrigin;
  }

  #nextWaiting(): PooledRequest | null {
    for (;;) {
      const next = this.#waiting.shift();
      if (!next) return null;
      if (!next.isDone) return next;
    }
  }
}

/** Called after undici has parsed the received bytes. */
function countBytes(connection: Connection): void {
  connection.current?.countBytes(connection.answerBytes);
}

function ignore(): void {}
