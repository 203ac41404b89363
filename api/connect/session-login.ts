// Which logins the page of a session offers, and what its network requires, such as an app.
import type { ConsentMethod } from '../../activities/platforms/platform.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import type { PlatformEntry, PlatformName } from '../../schema/platforms/index.ts';
import { validationError, type AppError } from '../../schema/wire/errors.ts';
import type { Text } from '../../schema/wire/names.ts';
import type { Caller, Context } from '../http/context.ts';
import { explainAbsence } from '../platforms/absence.ts';
import { findLoginApp } from './login-app.ts';

interface Wanted {
  name: PlatformName;
  /** Names the network. */
  field: 'platform' | 'social_account_id';
  login: string | undefined;
}

/**
 * Returns the only login that the page offers, or null if it offers all. Throws if the network is off, or if
 * something is missing that its consent pages need.
 */
export async function chooseLogin(
  context: Context,
  caller: Caller,
  { name, field, login }: Wanted,
): Promise<string | null> {
  const platform = context.platforms.get(name);
  const inField = (problem: string) =>
    field === 'platform' ? problem : `names an account whose network ${problem}`;
  if (!platform) {
    const otherwise = inField('is not configured on this server');
    const issue = explainAbsence(context.platforms, name, otherwise);
    throw validationError([{ path: [field], ...issue }]);
  }
  const { definition } = platform;
  const consents = platform.connect.filter((method) => method.kind === 'consent');
  const wanted = consents.filter((method) => login === undefined || method.name === login);
  if (login !== undefined && wanted.length === 0) throw unknownLogin(definition, consents);
  const usable = definition.hasApp ? await withApp(context, caller, definition, wanted) : wanted;
  if (definition.hasApp && usable.length === 0) {
    const hint: Text = ({ operation }) =>
      `Set your own app with ${operation('setPlatformApp')}, or ask the operator for one.`;
    const code = 'platform_not_configured';
    const issue =
      login === undefined
        ? { path: [field], code, message: inField('needs an app') }
        : { path: ['login'], code, message: 'needs an app' };
    throw validationError([issue], hint);
  }
  if (definition.userCallbacks === 'meta') await requirePrivacyUrl(context, caller, field, inField);
  const [only, ...others] = usable;
  return only && others.length === 0 && consents.length > 1 ? (only.name ?? null) : null;
}

/** The logins that have an app. */
async function withApp(
  context: Context,
  { projectId }: Caller,
  definition: PlatformEntry,
  logins: readonly ConsentMethod[],
): Promise<ConsentMethod[]> {
  const apps = await Promise.all(
    logins.map((login) => findLoginApp(context, projectId, definition, login)),
  );
  return logins.filter((_, i) => apps[i]);
}

function unknownLogin({ title }: PlatformEntry, consents: readonly ConsentMethod[]): AppError {
  const names = consents.flatMap(({ name }) => (name === undefined ? [] : [`"${name}"`]));
  const message =
    names.length > 0
      ? `must be ${names.join(' or ')} at ${title}`
      : `names a login that ${title} doesn't have`;
  return validationError([{ path: ['login'], code: 'unknown_login', message }]);
}

/** Requires a privacy policy in production, because Meta reviews the pages on which users log in. */
async function requirePrivacyUrl(
  { db }: Context,
  { projectId, environment }: Caller,
  at: Wanted['field'],
  inField: (problem: string) => string,
): Promise<void> {
  if (environment !== 'production') return;
  const { privacy_url } = await getProjectRow(db, projectId);
  if (privacy_url !== null) return;
  const message = inField("needs the URL of the project's privacy policy");
  const hint: Text = ({ field, operation }) =>
    `Set ${field('privacy_url')} with ${operation('updateProject')}.`;
  throw validationError([{ path: [at], code: 'privacy_url_required', message }], hint);
}
