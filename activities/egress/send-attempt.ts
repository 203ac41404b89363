// One request in flight: undici's handler for it, its single deadline, and its outcome.
import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import type { Timings } from '../../schema/deliveries.ts';
import { sinceMs } from './guarded-socket.ts';
import type { Connection, OriginPool, PooledRequest } from './origin-pool.ts';
import {
  failureOfDeadline,
  failureOfError,
  isCallersError,
  isEndOfSocket,
  noConnection,
  tooLarge,
} from './send-outcome.ts';
import type { Failure, SafeRequest, SendResult } from './send-outcome.ts';

type AnswerHeaders = Record<string, string | string[] | undefined>;

/** Maximum size of a response, including its head. */
const maxReadBytes = 64 * 1024;
/** How much of the body is kept. */
const keepBytes = 4 * 1024;

/**
 * A head that came in time decides the outcome, even if the body fails. The class has methods instead of closures,
 * since thousands of attempts are created per second.
 */
export class SendAttempt implements PooledRequest {
  readonly options: Dispatcher.DispatchOptions;
  startedAt = performance.now();
  isDone = false;
  readonly beginWithinMs: number;
  readonly #request: SafeRequest;
  readonly #pool: OriginPool;
  readonly #deadlineMs: number;
  readonly #resolve: (result: SendResult) => void;
  readonly #reject: (reason: unknown) => void;
  #connection: Connection | null = null;
  #timer: NodeJS.Timeout | null = null;
  #onAbort: (() => void) | null = null;
  #isWritten = false;
  #isOnKeptSocket = false;
  #isSecondTry = false;
  #firstByteAt: number | null = null;
  #status = 0;
  #headers: AnswerHeaders = {};
  readonly #chunks: Buffer[] = [];
  #readBytes = 0;
  #keptBytes = 0;

  constructor(
    request: SafeRequest,
    url: URL,
    pool: OriginPool,
    resolve: (result: SendResult) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#request = request;
    this.#pool = pool;
    this.beginWithinMs = request.beginWithinMs ?? Infinity;
    this.#deadlineMs = request.deadlineMs ?? 10_000;
    this.#resolve = resolve;
    this.#reject = reject;
    this.options = {
      path: url.pathname + url.search,
      method: 'POST',
      headers: toHeaderList(request.headers),
      body: request.body ?? null,
    };
    const { signal } = request;
    if (signal) {
      this.#onAbort = () => this.fail(signal.reason);
      signal.addEventListener('abort', this.#onAbort, { once: true });
    }
  }

  /** Called while every connection is busy. */
  wait(): void {
    if (this.beginWithinMs === Infinity) return;
    this.#timer = setTimeout(onNotBegun, this.beginWithinMs, this);
  }

  begin(connection: Connection): void {
    this.#connection = connection;
    if (this.#isSecondTry) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.startedAt = performance.now();
    this.#timer = setTimeout(onDeadline, this.#deadlineMs, this);
  }

  onRequestStart(): void {
    this.#isWritten = true;
    if (this.#connection) this.#isOnKeptSocket = this.#connection.countRequest() > 0;
  }

  onResponseStarted(): void {
    this.#firstByteAt ??= performance.now();
  }

  onResponseStart(_controller: unknown, status: number, headers: AnswerHeaders): void {
    if (this.isDone || status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.isDone) return;
    this.#readBytes += chunk.length;
    const room = keepBytes - this.#keptBytes;
    if (room > 0) {
      const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
      this.#chunks.push(kept);
      this.#keptBytes += kept.length;
    }
  }

  /** Interim responses, an endless head and the padding of chunks count like the body. */
  countBytes(answerBytes: number): void {
    if (!this.isDone && answerBytes > maxReadBytes) this.#concludeAndDrop(tooLarge);
  }

  onResponseEnd(): void {
    if (this.isDone) return;
    this.#conclude(null);
    if (this.#connection) this.#pool.release(this.#connection);
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.isDone || !this.#connection) return;
    if (isCallersError(error)) {
      this.fail(error);
    } else if (this.#mayTryAgain(error)) {
      this.#isSecondTry = true;
      this.#isWritten = false;
      this.#isOnKeptSocket = false;
      this.#pool.restart(this, this.#connection);
    } else {
      this.#concludeAndDrop(failureOfError(error, this.#connection.trace, this.#isWritten));
    }
  }

  refuse(): void {
    this.#pool.refuse(this);
  }

  runOut(): void {
    if (!this.#connection) return;
    const { trace } = this.#connection;
    this.#concludeAndDrop(failureOfDeadline(this.#deadlineMs, trace, this.#isWritten));
  }

  /** Ends the attempt without an outcome. */
  fail(reason: unknown): void {
    if (this.isDone) return;
    this.#settle();
    this.#reject(reason);
    if (this.#connection) this.#pool.drop(this.#connection);
  }

  /**
   * The receiver closed a kept connection just as it was used. Receivers must accept an event twice anyway,
   * so the request is sent again instead of failing.
   */
  #mayTryAgain(error: Error): boolean {
    const isUnanswered = this.#firstByteAt === null && this.#isOnKeptSocket;
    return isUnanswered && !this.#isSecondTry && isEndOfSocket(error);
  }

  #concludeAndDrop(failure: Failure | null): void {
    this.#conclude(failure);
    if (this.#connection) this.#pool.drop(this.#connection);
  }

  #conclude(failure: Failure | null): void {
    if (this.isDone) return;
    this.#settle();
    const trace = {
      remoteAddress: this.#connection?.trace.remoteAddress ?? null,
      timings: this.#timings(),
    };
    const status = this.#status;
    if (status === 0) {
      const { errorCode, message } = failure ?? { errorCode: 'connection_reset', message: '' };
      const answer = { status: null, headers: null, body: null };
      this.#resolve({ ok: false, errorCode, message, ...answer, ...trace });
      return;
    }
    const answer = { status, headers: toPlainHeaders(this.#headers), body: this.#body() };
    if (status < 300 || status >= 400) {
      this.#resolve({ ok: true, ...answer, ...trace });
    } else {
      const message = `The answer is a redirect (${status}), which is not followed.`;
      this.#resolve({ ok: false, errorCode: 'redirect', message, ...answer, ...trace });
    }
  }

  #settle(): void {
    this.isDone = true;
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#onAbort) this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }

  #body(): string {
    const [first, ...rest] = this.#chunks;
    if (!first) return '';
    const bytes = rest.length === 0 ? first : Buffer.concat(this.#chunks);
    return toExcerpt(bytes, this.#readBytes > this.#keptBytes);
  }

  #timings(): Timings {
    const trace = this.#isOnKeptSocket ? undefined : this.#connection?.trace.timings();
    return {
      ...(trace ?? noConnection),
      first_byte_ms: sinceMs(this.startedAt, this.#firstByteAt),
      total_ms: sinceMs(this.startedAt, performance.now()) ?? 0,
    };
  }
}

function onDeadline(attempt: SendAttempt): void {
  attempt.runOut();
}

function onNotBegun(attempt: SendAttempt): void {
  attempt.refuse();
}

function toHeaderList(headers: SafeRequest['headers']): string[] {
  const list = ['accept-encoding', 'identity'];
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) list.push(name, value);
  }
  return list;
}

function toPlainHeaders(headers: AnswerHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}

/** The start of a body as text that Postgres can store: without NUL, and with invalid UTF-8 replaced. */
function toExcerpt(bytes: Buffer, isCut: boolean): string {
  // The decoder drops an incomplete last character.
  const whole = isCut ? new StringDecoder('utf8').write(bytes) : bytes.toString('utf8');
  const text = whole.replaceAll('\u0000', '');
  // One invalid byte becomes three bytes of replacement.
  if (text.length * 3 <= keepBytes || Buffer.byteLength(text) <= keepBytes) return text;
  return new StringDecoder('utf8').write(Buffer.from(text).subarray(0, keepBytes));
}
