// Asks a network during a connect, and turns its refusals into errors of the request.
import type { z } from 'zod';
import { asProject } from '../../activities/current-project.ts';
import type { FormMethod, Grant, GrantedAccount } from '../../activities/platforms/platform.ts';
import {
  PlatformError,
  type PlatformErrorOptions,
} from '../../activities/platforms/platform-error.ts';
import { secretFieldsOf } from '../../activities/platforms/credential-fields.ts';
import { scopeMissing } from '../../activities/platforms/wrong-credential.ts';
import { readGrant, shortenError } from '../../activities/platforms/platform-answer.ts';
import { waitForRevocations } from '../../schema/database/accounts/revocations.ts';
import type { PlatformEntry } from '../../schema/platforms/index.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import type { Context } from '../http/context.ts';
import { validate } from '../http/validation.ts';

const connectTimeoutMs = 20_000;
const retryAfterS = 5;
const refusedByNetwork = 'refused_by_network';
const connectHint =
  'The account was not connected. Try again after `Retry-After`. If the error persists, check that the network is up and that Fanfare can reach it.';

/** Asks for a login with what the user typed in. */
export async function connectAtNetwork(
  context: Context,
  projectId: string,
  definition: PlatformEntry,
  { fields, run }: FormMethod,
  given: Record<string, string>,
): Promise<Grant> {
  const credentials = validate(fields, given, { at: ['credentials'] });
  return askForLogin(
    context,
    projectId,
    definition,
    async (signal) => readGrant(await run(credentials, signal), definition.scopes),
    namingField(fields, credentials),
  );
}

/** Makes the error for a login that the network refuses. */
export type Refuse = (message: string, options: PlatformErrorOptions) => AppError;

export const toConflict: Refuse = (message) => new AppError('conflict', message);

/** Makes errors whose issue names the field that the network refused, as `credentials.<field>`. */
export function namingField(schema: z.ZodType, fields: Record<string, string>): Refuse {
  return (message, { field, platformCode = refusedByNetwork }) => {
    const isOurCode = field !== undefined || platformCode === scopeMissing;
    const path = ['credentials', field ?? suspectOf(schema, fields)];
    return validationError([{ path, code: isOurCode ? platformCode : refusedByNetwork, message }]);
  };
}

/** Waits for revocations first, because the network may answer with a token that is just being revoked. */
export async function askForLogin(
  { db }: Context,
  projectId: string,
  { name }: PlatformEntry,
  ask: (signal: AbortSignal) => Promise<Grant>,
  refuse: Refuse,
): Promise<Grant> {
  await waitForRevocations(db, projectId, name);
  return askNetwork(projectId, ask, refuse);
}

/** Call it outside any transaction. `awayHint`: what to do if the network gives no answer. */
export async function askNetwork<T>(
  projectId: string,
  ask: (signal: AbortSignal) => Promise<T>,
  refuse: Refuse,
  awayHint = connectHint,
): Promise<T> {
  try {
    const signal = AbortSignal.timeout(connectTimeoutMs);
    return await asProject(projectId, () => ask(signal));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const { kind, message, options } = shortenError(error);
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
function suspectOf(schema: z.ZodType, fields: Record<string, string>): string {
  const secret = secretFieldsOf(schema).find((name) => name in fields);
  return secret ?? Object.keys(fields)[0] ?? '';
}

/**
 * Returns the only usable account of a login. Throws if there are several, because users choose among them on
 * the hosted page.
 */
export function onlyAccountOf({ accounts }: Grant): GrantedAccount {
  const usable = accounts.filter(({ problem }) => problem === null);
  const [account, ...others] = usable;
  if (account && others.length === 0) return account;
  const several = 'reach several accounts, so they need a connect session';
  const issue = account
    ? { code: 'several_accounts', message: several }
    : { code: refusedByNetwork, message: describeProblems(accounts) };
  throw validationError([{ path: ['credentials'], ...issue }]);
}

const maxDescribed = 3;

/** Describes why accounts can't publish. Accounts of one login often share a problem, so a few are enough. */
export function describeProblems(accounts: readonly GrantedAccount[]): string {
  const described = accounts
    .slice(0, maxDescribed)
    .map(({ accountName, problem }) => `${accountName}: ${problem}`);
  const others = accounts.length - described.length;
  if (others > 0) described.push(`${others} more can't be connected either.`);
  return described.join(' ');
}
