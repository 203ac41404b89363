// The kept-alive connections to one origin, each an undici client whose socket is known to us.
import type { Socket } from 'node:net';
import { Client } from 'undici';
import { openSocket, SocketTrace } from './guarded-socket.ts';
import type { SocketSettings } from './guarded-socket.ts';
import type { SendAttempt } from './send-attempt.ts';
import { NotBegunError } from './send-outcome.ts';

export interface PoolSettings extends SocketSettings {
  connectionsPerOrigin: number;
  keepAliveMs: number;
}

export class Connection {
  trace = new SocketTrace();
  /** Requests written to the present socket: more than none means that it was kept alive. */
  served = 0;
  current: SendAttempt | null = null;
  isDestroyed = false;
  readonly pool: OriginPool;
  readonly #client: Client;
  #socket: Socket | null = null;

  constructor(pool: OriginPool, settings: PoolSettings) {
    this.pool = pool;
    // Every time-out of undici's is off: one deadline of the attempt's own decides.
    this.#client = new Client(pool.origin, {
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: settings.keepAliveMs,
      keepAliveMaxTimeout: settings.keepAliveMs,
      connect: (target, callback) => {
        this.trace = new SocketTrace();
        this.served = 0;
        this.#socket = openSocket(settings, target, this.trace, callback);
      },
    });
    // With an attempt waiting, undici connects anew by itself.
    this.#client.on('disconnect', () => {
      if (!this.current) pool.drop(this);
    });
  }

  begin(attempt: SendAttempt): void {
    this.current = attempt;
    attempt.begin(this);
    this.#client.dispatch(attempt.options, attempt);
  }

  destroy(): void {
    this.isDestroyed = true;
    this.#socket?.destroy();
    this.#client.destroy(null, ignore);
  }
}

export class OriginPool {
  readonly origin: string;
  lastUsedAt = 0;
  readonly #settings: PoolSettings;
  readonly #idle: Connection[] = [];
  readonly #waiting: SendAttempt[] = [];
  readonly #onEmpty: (pool: OriginPool) => void;
  #open = 0;
  #isClosed = false;

  constructor(origin: string, settings: PoolSettings, onEmpty: (pool: OriginPool) => void) {
    this.origin = origin;
    this.#settings = settings;
    this.#onEmpty = onEmpty;
  }

  get isIdle(): boolean {
    return this.#open === this.#idle.length;
  }

  start(attempt: SendAttempt): void {
    this.lastUsedAt = attempt.startedAt;
    const idle = this.#idle.pop();
    if (idle) idle.begin(attempt);
    else if (this.#open < this.#settings.connectionsPerOrigin) this.#connect(attempt);
    else {
      this.#waiting.push(attempt);
      attempt.wait();
    }
  }

  /** A second try takes the place of the connection that failed it, before anybody who waits. */
  restart(attempt: SendAttempt, failed: Connection): void {
    if (this.#forget(failed)) this.#connect(attempt);
  }

  /** After a whole answer: the connection goes to whoever waits, or stays for the next. */
  release(connection: Connection): void {
    connection.current = null;
    if (connection.isDestroyed) return;
    const next = this.#nextWaiting();
    if (next) connection.begin(next);
    else if (this.#isClosed) this.drop(connection);
    else this.#idle.push(connection);
  }

  drop(connection: Connection): void {
    if (!this.#forget(connection)) return;
    const next = this.#nextWaiting();
    if (next) this.#connect(next);
    else if (this.#open === 0) this.#onEmpty(this);
  }

  /** What waits is refused, what is idle is closed, what runs ends first. */
  close(): void {
    this.#isClosed = true;
    for (const attempt of this.#waiting.splice(0)) {
      attempt.fail(new NotBegunError('The client is closed.'));
    }
    for (const connection of this.#idle.splice(0)) this.drop(connection);
  }

  #connect(attempt: SendAttempt): void {
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

  #nextWaiting(): SendAttempt | null {
    for (;;) {
      const next = this.#waiting.shift();
      if (!next) return null;
      if (!next.isDone) return next;
    }
  }
}

function ignore(): void {}
