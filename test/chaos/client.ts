// A client of the installation that repeats a request, with its Idempotency-Key, until it has an answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { createApi, type ApiAnswer } from '../support/app/api.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- the load reads into answers of every shape
export type Answer = ApiAnswer<any>;

export interface ChaosRequest {
  method: string;
  path: string;
  body?: unknown;
  idempotencyKey?: string;
}

export interface ChaosClient {
  /** The first answer that decides; each try goes to the next server. Throws if none comes in time. */
  send(request: ChaosRequest, options?: { passesHold?: boolean }): Promise<Answer>;
  /** Resolves once no request is under way; the others wait for `release`. */
  hold(): Promise<void>;
  release(): void;
  /** The longest that a request waited for its answer. */
  readonly slowestMs: number;
  readonly repeats: number;
}

const tryTimeoutMs = 10_000;
/** Between tries: a client that repeats without pause would hold back a server that recovers. */
const mostWaitMs = 3_000;
const quietGiveUpMs = 90_000;

/** `deadline`: how long to wait on this machine for what takes so long on a quiet one. */
export function createChaosClient(
  urls: readonly string[],
  key: string,
  deadline = (ms: number) => ms,
): ChaosClient {
  const giveUpAfterMs = deadline(quietGiveUpMs);
  const apis = urls.map((url) => createApi(url, key));
  let held: PromiseWithResolvers<void> | undefined;
  let underWay = 0;
  let next = 0;
  let slowestMs = 0;
  let repeats = 0;

  async function tryOnce(request: ChaosRequest, passesHold: boolean): Promise<Answer | undefined> {
    while (held && !passesHold) await held.promise;
    const { method, path, body, idempotencyKey } = request;
    underWay++;
    try {
      const answer = await apis[next++ % apis.length]!.call(method, path, body, {
        signal: AbortSignal.timeout(deadline(tryTimeoutMs)),
        headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
      });
      return answer.status >= 500 || answer.status === 429 ? undefined : answer;
    } catch {
      return undefined;
    } finally {
      underWay--;
    }
  }

  return {
    async send(request, { passesHold = false } = {}) {
      const startedAt = performance.now();
      for (let tries = 1; ; tries++) {
        const answer = await tryOnce(request, passesHold);
        const tookMs = performance.now() - startedAt;
        slowestMs = Math.max(slowestMs, tookMs);
        if (answer) return answer;
        if (tookMs > giveUpAfterMs) {
          const waited = `${giveUpAfterMs / 1_000} s`;
          throw new Error(`${request.method} ${request.path} had no answer for ${waited}`);
        }
        repeats++;
        await sleep(Math.min(100 * 2 ** tries, mostWaitMs));
      }
    },
    async hold() {
      held ??= Promise.withResolvers();
      while (underWay > 0) await sleep(20);
    },
    release() {
      held?.resolve();
      held = undefined;
    },
    get slowestMs() {
      return slowestMs;
    },
    get repeats() {
      return repeats;
    },
  };
}
