// Connects at a network with credentials, and turns its refusals into errors of the request.
import { fetchFor } from '../../activities/egress/guarded-fetch.ts';
import type { Connection, Credentials, Platform } from '../../activities/platforms/platform.ts';
import { PlatformError } from '../../activities/platforms/platform-error.ts';
import type { PlatformErrorOptions } from '../../activities/platforms/platform-error.ts';
import { takeConnection, takeError } from '../../activities/publishing/platform-answer.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import { validate } from '../http/validation.ts';

const connectTimeoutMs = 20_000;
const retryAfterS = 5;
const refusedByNetwork = 'refused_by_network';
const awayHint =
  'The account was not connected. Try again after `Retry-After`. If the error persists, check that the network is up and that Fanfare can reach it.';

type PlainConnect = NonNullable<Platform['connect']>;

/** Issues name the field: `credentials.<field>`. Call it outside any transaction. */
export async function connectAtNetwork(
  projectId: string,
  connect: PlainConnect,
  given: Record<string, string>,
): Promise<Connection> {
  const credentials = validate(connect.credentials, given, { at: ['credentials'] });
  return askNetwork(
    projectId,
    (signal) => connect.run(credentials, signal),
    (message, { field, platformCode = refusedByNetwork }) =>
      validationError([
        field === undefined
          ? { path: ['credentials', suspectOf(credentials)], code: refusedByNetwork, message }
          : { path: ['credentials', field], code: platformCode, message },
      ]),
  );
}

/** `refuse` makes the error for credentials that the network refuses. */
export async function askNetwork(
  projectId: string,
  ask: (signal: AbortSignal) => Promise<Connection>,
  refuse: (message: string, options: PlatformErrorOptions) => AppError,
): Promise<Connection> {
  try {
    const signal = AbortSignal.timeout(connectTimeoutMs);
    return takeConnection(await fetchFor(projectId, () => ask(signal)));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const { kind, message, options } = takeError(error);
    switch (kind) {
      case 'rejected':
      case 'reauthorize':
        throw refuse(message, options);
      case 'rate_limited': {
        const waitS = Math.ceil((options.retryAfterMs ?? retryAfterS * 1_000) / 1_000);
        throw new AppError('rate_limited', message, { retryAfterS: waitS, cause: error });
      }
      case 'unavailable':
      case 'unknown_outcome':
        throw new AppError('unavailable', message, { hint: awayHint, retryAfterS, cause: error });
    }
  }
}

/** Networks don't say which field is wrong. With several fields, the issue names the secret. */
function suspectOf(credentials: Credentials): string {
  const names = Object.keys(credentials);
  return names.find(isSecretField) ?? names[0] ?? '';
}

export function isSecretField(name: string): boolean {
  return /password|secret|token|key|webhook/.test(name);
}
