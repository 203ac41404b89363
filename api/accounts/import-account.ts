// Connects an account with tokens that the client's own app obtained.
import type { Grant, GrantedAccount } from '../../activities/platforms/platform.ts';
import { readGrant } from '../../activities/platforms/platform-answer.ts';
import { findMissingScopes, scopeMissing } from '../../activities/platforms/wrong-credential.ts';
import type { Account, ImportAccount } from '../../schema/accounts.ts';
import { requireReach } from '../../schema/api-keys.ts';
import { findAppFor } from '../../schema/database/accounts/apps.ts';
import { validationError, type AppError } from '../../schema/wire/errors.ts';
import type { Path, Text } from '../../schema/wire/names.ts';
import type { Caller, Context } from '../http/context.ts';
import type { Answer } from '../http/transact.ts';
import { explainAbsence } from '../platforms/absence.ts';
import { askForLogin, describeProblems, type Refuse } from './connect-at-network.ts';
import { connectOwn } from './operations.ts';

/** Answers 201 for an account that is new to the project, and 200 for a known account. */
export async function importAccount(
  context: Context,
  caller: Caller,
  input: ImportAccount,
): Promise<Answer<Account>> {
  const { platform: name, refresh_token: refreshToken = null, scope = null } = input;
  requireReach(caller, name);
  const platform = context.platforms.get(name);
  if (!platform) {
    const { code, message } = explainAbsence(context.platforms, name, 'is not configured here');
    throw refuse(['platform'], code, message);
  }
  const { definition, importTokens, refresh } = platform;
  if (!importTokens) {
    throw refuse(['platform'], 'import_not_supported', "doesn't support imported tokens");
  }
  if (refreshToken !== null && !refresh) {
    throw refuse(['refresh_token'], 'refresh_not_supported', 'is not used by this network');
  }
  const expiresAt = input.expires_at === undefined ? null : new Date(input.expires_at);
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    throw refuse(['expires_at'], 'already_expired', 'must be in the future');
  }
  const { scopes = [] } = definition;
  const missing = findMissingScopes(scopes, scope);
  if (missing.length > 0) {
    throw refuse(['scope'], scopeMissing, `The token lacks ${missing.join(', ')}.`);
  }
  const { db, vault } = context;
  const { projectId } = caller;
  const app = definition.hasApp ? await findAppFor(db, projectId, vault, { platform: name }) : null;
  if (app === undefined && refreshToken !== null) {
    const message = "needs the project's own app, which obtained the token at the network";
    throw refuse(['refresh_token'], 'app_required', message);
  }
  const tokens = {
    accessToken: input.access_token,
    refreshToken,
    expiresAt,
    scope,
    instance: input.instance ?? null,
  };
  const grant = await askForLogin(
    context,
    projectId,
    definition,
    async (signal) => readGrant(await importTokens(tokens, signal)),
    refuseToken,
  );
  return connectOwn(context, caller, {
    platform: name,
    grant,
    accounts: [chooseAccount(grant, input.external_account_id)],
    appId: app?.id ?? null,
    externalUserId: input.external_user_id,
    externalUserEmail: input.external_user_email,
  });
}

/** The field `server` of a network's form is `instance` in an import. */
const refuseToken: Refuse = (message, { field, platformCode }) => {
  if (platformCode === scopeMissing) return refuse(['scope'], scopeMissing, message);
  if (field === 'server') return refuse(['instance'], platformCode ?? 'invalid_server', message);
  return refuse(['access_token'], 'token_invalid', message);
};

function chooseAccount({ accounts }: Grant, id: string | undefined): GrantedAccount {
  const chosen = accounts.filter(({ externalAccountId }) =>
    id === undefined ? true : externalAccountId === id,
  );
  const usable = chosen.filter(({ problem }) => problem === null);
  const path = ['external_account_id'];
  if (chosen.length === 0) {
    throw refuse(path, 'unknown_account', 'is not an account that the token reaches');
  }
  if (usable.length === 0) {
    const problems = describeProblems(chosen);
    if (chosen.some(({ lacksScope }) => lacksScope))
      throw refuse(['scope'], scopeMissing, problems);
    throw refuse(['access_token'], 'token_invalid', problems);
  }
  if (usable.length > 1) {
    const ids = usable.map(({ externalAccountId }) => externalAccountId).join(', ');
    throw refuse(path, 'several_accounts', `is required. The token reaches ${ids}.`);
  }
  return usable[0]!;
}

function refuse(path: Path, code: string, message: Text): AppError {
  return validationError([{ path, code, message }]);
}
