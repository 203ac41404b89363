// Operations on a project's own apps at networks: set, read, delete.
import { z } from 'zod';
import { endGrants } from '../../activities/logins/end-grants.ts';
import {
  deleteApps,
  deleteReplacedApps,
  listProjectApps,
  lockProjectApps,
  putApp,
} from '../../schema/database/accounts/apps.ts';
import { listLiveGrants } from '../../schema/database/accounts/grants.ts';
import type { PlatformAppRow } from '../../schema/database/tables.ts';
import {
  PlatformApp,
  type DeletePlatformApp,
  type SetPlatformApp,
} from '../../schema/platform-apps.ts';
import { GivenPlatform, type PlatformName } from '../../schema/platforms/index.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import type { Page } from '../../schema/wire/listing.ts';
import { present } from '../../schema/wire/present.ts';
import { requireReach } from '../../schema/api-keys.ts';
import type { Caller, Context } from '../http/context.ts';
import { wholePage } from '../http/listing.ts';
import { transact, type Answer } from '../http/transact.ts';
import { validate } from '../http/validation.ts';
import { explainAbsence } from '../platforms/absence.ts';
import { callbackUrlsOf } from './callback-urls.ts';

export async function listPlatformApps(
  context: Context,
  caller: Caller,
): Promise<Page<PlatformApp>> {
  const rows = await listProjectApps(context.db, caller);
  return wholePage(rows.map((row) => presentPlatformApp(context, row)));
}

export async function getPlatformApp(
  context: Context,
  caller: Caller,
  platform: string,
): Promise<PlatformApp> {
  const name = nameOf(platform);
  const rows = await listProjectApps(context.db, caller);
  const row = rows.find((each) => each.platform === name);
  if (!row) throw noApp(name);
  return presentPlatformApp(context, row);
}

/**
 * New consents use this app. Accounts that were connected with an earlier app stay with the earlier app.
 * Answers 201 for the first app of the network, and 200 for a later app.
 */
export async function setPlatformApp(
  context: Context,
  caller: Caller,
  platform: string,
  { client_id, client_secret, settings: given = {} }: SetPlatformApp,
): Promise<Answer<PlatformApp>> {
  const name = nameOf(platform);
  requireReach(caller, name);
  const definition = context.platforms.get(name)?.definition;
  if (!definition?.hasApp) {
    const takesNone = 'names a network that takes no app';
    const { code, message } = explainAbsence(context.platforms, name, takesNone);
    const isOff = code === 'media_not_public';
    const issue = { path: ['platform'], code: isOff ? code : 'app_not_supported', message };
    throw validationError([issue]);
  }
  if (definition.needsAppSecret && client_secret === undefined) {
    const message = `is required at ${definition.title}`;
    throw validationError([{ path: ['client_secret'], code: 'required', message }]);
  }
  const { appSettings = noSettings } = definition;
  const checked = validate(appSettings, given, { at: ['settings'] }) as Record<string, string>;
  const settings = definition.appSettings ? checked : null;
  return transact(context, caller, async ({ trx, audit }) => {
    const { projectId } = caller;
    const known = await lockProjectApps(trx, caller, name);
    const app = {
      platform: name,
      clientId: client_id,
      clientSecret: client_secret ?? null,
      settings,
    };
    const row = await putApp(trx, projectId, context.vault, app);
    await deleteReplacedApps(trx, projectId, row);
    const isNew = known.length === 0;
    audit({ subject: 'platform_app', subject_id: row.id, kind: isNew ? 'created' : 'updated' });
    return { status: isNew ? 201 : 200, data: presentPlatformApp(context, row) };
  });
}

/** Deletes the app, and earlier apps of the network that accounts are still connected with. */
export async function deletePlatformApp(
  context: Context,
  caller: Caller,
  platform: string,
  { force }: DeletePlatformApp,
): Promise<Answer<null>> {
  const name = nameOf(platform);
  return transact(context, caller, async ({ trx, audit }) => {
    const rows = await lockProjectApps(trx, caller, name);
    if (rows.length === 0) throw noApp(name);
    const ids = rows.map(({ id }) => id);
    const grantIds = await listLiveGrants(trx, ids);
    if (grantIds.length > 0 && !force) {
      throw new AppError('conflict', 'Accounts are connected with this app.', {
        hint: ({ parameter }) =>
          `Disconnect them first. Or repeat the call with ${parameter('force', 'true')}. They must then be reconnected.`,
      });
    }
    await endGrants(trx, grantIds, context.config);
    await deleteApps(trx, caller.projectId, ids);
    for (const id of ids) audit({ subject: 'platform_app', subject_id: id, kind: 'deleted' });
    return { status: 204, data: null };
  });
}

/** The schema of app settings for a network whose apps have none. */
const noSettings = z.strictObject({});

function presentPlatformApp({ publicUrl }: Context, row: PlatformAppRow): PlatformApp {
  return present(PlatformApp, {
    ...row,
    has_client_secret: row.client_secret !== null,
    settings: row.settings ?? {},
    callback_urls: callbackUrlsOf(publicUrl, row),
  });
}

function nameOf(platform: string): PlatformName {
  const { data } = GivenPlatform.safeParse(platform);
  if (data) return data;
  throw new AppError('not_found', `No network is named ${platform.slice(0, 64)}.`);
}

const noApp = (name: PlatformName) =>
  new AppError('not_found', `The project has no app for the network ${name}.`);
