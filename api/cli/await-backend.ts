// Waits at a start until Postgres, Temporal or the bucket of media answers, for up to a minute.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { DatabaseError } from 'pg';
import { checkStore } from '../../activities/media/store/open.ts';
import { StoreError } from '../../activities/media/store/store.ts';
import { pingDatabase } from '../../schema/database/timed-client.ts';
import { describeFailure } from '../server/parts.ts';
import {
  askOnce,
  createTemporalClient,
  type TemporalTarget,
} from '../server/temporal-connection.ts';

export interface Waiting {
  /** Takes a line for the operator. */
  report: (line: string) => void;
  /** Aborts the wait. */
  signal: AbortSignal;
  /** Default: 60 s. */
  withinMs?: number;
}

interface Backend {
  /** Name for messages, with the address but without credentials. */
  name: string;
  check: () => Promise<unknown>;
  /** Whether a later check may succeed. */
  isAway: (error: unknown) => boolean;
}

const defaultWithinMs = 60_000;
const retryMs = 1_000;
const checkWithinMs = 5_000;

/** Reports the first failure, and later failures if the reason has changed. Throws the last failure. */
async function awaitBackend({ name, check, isAway }: Backend, waiting: Waiting): Promise<void> {
  const { report, signal, withinMs = defaultWithinMs } = waiting;
  const untilMs = performance.now() + withinMs;
  const withinS = withinMs / 1_000;
  let reported: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    const failure = await check().then(
      () => undefined,
      (error: unknown) => ({ reason: describe(error), isFinal: !isAway(error) }),
    );
    if (!failure) break;
    const { reason, isFinal } = failure;
    if (isFinal) throw new Error(`${name}: ${reason}`);
    if (performance.now() >= untilMs) {
      throw new Error(`${name} is unavailable after ${withinS} s: ${reason}`);
    }
    if (reason !== reported) {
      report(`${name} is unavailable: ${reason}. Retrying for ${withinS} s.`);
    }
    reported = reason;
    await sleep(retryMs, undefined, { signal }).catch(() => undefined);
  }
  if (reported !== undefined) report(`${name} answers.`);
}

/** Postgres starts, stops, restarts after a crash, or has no free connection. */
const awayCodes = new Set(['57P01', '57P02', '57P03', '53300']);

export async function awaitDatabase(url: string, waiting: Waiting): Promise<void> {
  const { hostname, port } = new URL(url);
  const check = () => pingDatabase(url, 'fanfare start', checkWithinMs);
  const isAway = (error: unknown) =>
    !(error instanceof DatabaseError) || awayCodes.has(error.code ?? '');
  await awaitBackend({ name: `Postgres at ${hostname}:${port || 5432}`, check, isAway }, waiting);
}

/** gRPC's codes for credentials that Temporal refuses. */
const refusals = new Set<number>([7, 16]);

/** Also waits for a namespace that is missing, since a new Temporal creates it late. */
export async function awaitTemporal(target: TemporalTarget, waiting: Waiting): Promise<void> {
  const { namespace } = target.config.temporal;
  const check = async () => {
    await requireListener(target.address);
    const client = await createTemporalClient(target);
    await askOnce(client, checkWithinMs, (service) => service.describeNamespace({ namespace }));
  };
  const isAway = (error: unknown) =>
    error instanceof NoListener || (isGrpcServiceError(error) && !refusals.has(error.code));
  await awaitBackend({ name: `Temporal at ${target.address}`, check, isAway }, waiting);
}

class NoListener extends Error {}

/**
 * Throws the reason if nothing listens at the address. gRPC says only that its deadline has passed, but the
 * error of a socket says why.
 */
async function requireListener(address: string): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || 7233) });
  const timer = setTimeout(() => {
    socket.destroy(new Error(`no connection within ${checkWithinMs / 1_000} s`));
  }, checkWithinMs);
  try {
    await once(socket, 'connect');
  } catch (cause) {
    throw new NoListener(describe(cause), { cause });
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** Waits only for a bucket. A folder needs no wait, and `checkMediaFolder` refuses a wrong one. */
export async function awaitMediaStore(url: string, waiting: Waiting): Promise<void> {
  const { protocol, host, searchParams } = new URL(url);
  if (protocol !== 's3:') return;
  const endpoint = searchParams.get('endpoint');
  const place = endpoint === null ? host : `${host} at ${new URL(endpoint).host}`;
  await awaitBackend(
    {
      name: `The media bucket ${place}`,
      check: () => checkStore(url),
      isAway: (error) => error instanceof StoreError,
    },
    waiting,
  );
}

const describe = (error: unknown) => describeFailure(error).replace(/\.$/, '');
