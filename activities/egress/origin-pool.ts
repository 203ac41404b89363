// The kept-alive connections of one project to one origin, each an undici client whose socket is known to us.
import type { Socket } from 'node:net';
import { Client } from 'undici';
import { openSocket, SocketTrace } from './guarded-socket.ts';
import type { SocketSettings } from './guarded-socket.ts';
import type { SendAttempt } from './send-attempt.ts';
import { NotBegunError } from './send-outcome.ts';

/** What is released comes again no later, however long the queue: the receiver may recover. */
const maxHandBackMs = 30_000;
/** Weight of the latest request in what the pool expects of the next. */
const recency = 0.1;

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
  #bytesBefore = 0;

  constructor(pool: OriginPool, settings: PoolSettings) {
    this.pool = pool;
    // Every time-out of undici's is off: one deadline of the attempt's own decides.
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
        this.#socket?.on('readable', () => process.nextTick(noteBytes, this));
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
    this.pool.noteBegin();
    this.#client.dispatch(attempt.options, attempt);
  }

  /** A request is written: what comes from now on is its answer. */
  noteRequest(): number {
    this.#bytesBefore = this.#socket?.bytesRead ?? 0;
    return this.served++;
  }

  /** Whatever came since the request was written, encrypted or not. */
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
  readonly #waiting: SendAttempt[] = [];
  readonly #onEmpty: (pool: OriginPool) => void;
  #open = 0;
  #isClosed = false;
  /** How long requests have kept their connections of late. */
  #usualHoldMs = 0;
  /** When a request last began or ended. */
  #movedAt = 0;
  /** Until when the connections are promised to those that were released. */
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

  start(attempt: SendAttempt): void {
    this.lastUsedAt = attempt.startedAt;
    const idle = this.#idle.pop();
    if (idle) idle.begin(attempt);
    else if (this.#open < this.#settings.connectionsPerOrigin) this.#connect(attempt);
    else if (performance.now() - this.#movedAt > attempt.beginWithinMs) this.handBack(attempt);
    else {
      this.#waiting.push(attempt);
      attempt.wait();
    }
  }

  /** Names a time at which a connection should be free, another for each. */
  handBack(attempt: SendAttempt): void {
    const index = this.#waiting.indexOf(attempt);
    if (index !== -1) this.#waiting.splice(index, 1);
    const now = performance.now();
    const latest = now + maxHandBackMs;
    const free = Math.max(this.#promisedUntil, now + this.#waitMs(this.#waiting.length));
    this.#promisedUntil = Math.min(free + this.#waitMs(1), latest);
    attempt.fail(new NotBegunError('Every connection is busy.', this.#promisedUntil - now));
  }

  /** A request is on its way. */
  noteBegin(): void {
    this.#movedAt = performance.now();
  }

  /** A second try takes the place of the connection that failed it, before anybody who waits. */
  restart(attempt: SendAttempt, failed: Connection): void {
    if (this.#forget(failed)) this.#connect(attempt);
  }

  /** After a whole answer: the connection goes to whoever waits, or stays for the next. */
  release(connection: Connection): void {
    this.#noteEnd(connection);
    connection.current = null;
    if (connection.isDestroyed) return;
    const next = this.#nextWaiting();
    if (next) connection.begin(next);
    else if (this.#isClosed) this.drop(connection);
    else this.#idle.push(connection);
  }

  drop(connection: Connection): void {
    this.#noteEnd(connection);
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

  #noteEnd({ current }: Connection): void {
    if (!current) return;
    this.#movedAt = performance.now();
    const holdMs = this.#movedAt - current.startedAt;
    this.#usualHoldMs += (holdMs - this.#usualHoldMs) * recency;
  }

  /** Until as many requests as are ahead have got a connection, as far as can be told. */
  #waitMs(ahead: number): number {
    const holdMs = Math.max(this.#usualHoldMs, performance.now() - this.#movedAt);
    return (ahead * holdMs) / this.#settings.connectionsPerOrigin;
  }

  #nextWaiting(): SendAttempt | null {
    for (;;) {
      const next = this.#waiting.shift();
      if (!next) return null;
      if (!next.isDone) return next;
    }
  }
}

/** After undici has parsed what came. */
function noteBytes(connection: Connection): void {
  connection.current?.noteBytes(connection.answerBytes);
}

function ignore(): void {}
