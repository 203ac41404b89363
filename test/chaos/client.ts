// The clients of the projects, which repeat a request, with its Idempotency-Key, until it has an answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { createApi, type ApiAnswer } from '../support/app/api.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- the load reads into answers of every shape
export type Answer = ApiAnswer<any>;

export interface ChaosRequest {
  method: string;
  path: string;
  body?: unknown;
  idempotencyKey?: string;
  /** Which of the projects sends it; default: the first. */
  project?: number;
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

/** Some posts of a bulk request may be refused for now, though the request was answered. */
function isFinal({ status, body }: Answer): boolean {
  if (status >= 500 || status === 429) return false;
  const items: unknown = body?.data;
  return !Array.isArray(items) || !items.some(({ error }) => error?.is_retriable);
}

/** `deadline`: how long to wait on this machine for what takes so long on a quiet one. */
export function createChaosClient(
  urls: readonly string[],
  keys: readonly string[],
  deadline = (ms: number) => ms,
): ChaosClient {
  const giveUpAfterMs = deadline(quietGiveUpMs);
  const apisOf = keys.map((key) => urls.map((url) => createApi(url, key)));
  let held: PromiseWithResolvers<void> | undefined;
  let underWay = 0;
  let next = 0;
  let slowestMs = 0;
  let repeats = 0;

  async function tryOnce(request: ChaosRequest, passesHold: boolean): Promise<Answer | undefined> {
    while (held && !passesHold) await held.promise;
    const { method, path, body, idempotencyKey, project = 0 } = request;
    const apis = apisOf[project]!;
    underWay++;
    try {
      const answer = await apis[next++ % apis.length]!.call(method, path, body, {
        signal: AbortSignal.timeout(deadline(tryTimeoutMs)),
        headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
      });
      return isFinal(answer) ? answer : undefined;
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

/** `too_soon`: its time came while no server answered. `body`: of an answer, or of one post of a bulk answer. */
export function hasIssue(
  body: { error?: { issues?: readonly { code: string }[] | undefined } | undefined } | undefined,
  word: 'too_soon' | 'account_not_active',
): boolean {
  return body?.error?.issues?.some(({ code }) => code === word) ?? false;
}

export function describeAnswer({ method, path }: ChaosRequest, { status, text }: Answer): string {
  return `${method} ${path} was answered ${status}: ${text.slice(0, 300)}`;
}
