// Queries on apps: the clients that the operator and the projects have registered at networks.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { newId } from '../../wire/ids.ts';
import type { App } from '../../platforms/definition.ts';
import {
  platformDefinitions,
  type AppSettings,
  type PlatformEntry,
  type PlatformName,
} from '../../platforms/index.ts';
import { selectInScope, type RowScope } from '../row-scope.ts';
import type { Db, PlatformAppRow, Transaction } from '../tables.ts';
import type { Vault } from '../vault.ts';

interface GivenApp {
  platform: PlatformName;
  /** The server that knows the client, for networks of many servers. */
  instance?: string;
  clientId: string;
  clientSecret: string | null;
  /** Default: the network has no settings for apps, or the app is the operator's. */
  settings?: Readonly<Record<string, string>> | null;
}

/**
 * Inserts the app, or sets the secret and the settings of the known app with this client ID. Without a
 * project, the app is the operator's.
 */
export async function putApp(
  db: Db,
  projectId: string | null,
  vault: Vault,
  given: GivenApp,
): Promise<PlatformAppRow> {
  await addApp(db, projectId, vault, given);
  const { platform, instance = '', clientId, clientSecret, settings = null } = given;
  const { id } = await db
    .selectFrom('platform_apps')
    .select('id')
    .where('project_id', projectId === null ? 'is' : '=', projectId)
    .where('platform', '=', platform)
    .where('instance', '=', instance)
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  return db
    .updateTable('platform_apps')
    .set({
      ...sealSecret(vault, id, clientSecret),
      settings: settings && JSON.stringify(settings),
      // The network may have approved the app in the meantime.
      approval: 'unknown',
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** 128 bits. */
const inboundKeyBytes = 16;

/** Does nothing if the app is known, so that the app keeps its secret. */
export async function addApp(
  db: Db,
  projectId: string | null,
  vault: Vault,
  { platform, instance = '', clientId, clientSecret, settings = null }: GivenApp,
): Promise<void> {
  const id = newId('app');
  const key = { project_id: projectId, platform, instance, client_id: clientId };
  await db
    .insertInto('platform_apps')
    .values({
      id,
      ...key,
      ...sealSecret(vault, id, clientSecret),
      settings: settings && JSON.stringify(settings),
      inbound_key: randomBytes(inboundKeyBytes).toString('hex'),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Stores the apps that the operator's settings name. An app that they no longer name stays for the logins
 * that it made.
 */
export async function storeOperatorApps(
  db: Db,
  vault: Vault,
  settings: Record<PlatformName, AppSettings>,
  definitions: readonly PlatformEntry[] = platformDefinitions,
): Promise<void> {
  for (const { name, hasApp } of definitions) {
    const { clientId, clientSecret = null } = settings[name];
    if (!hasApp || clientId === undefined) continue;
    await putApp(db, null, vault, { platform: name, clientId, clientSecret });
  }
}

/** The app that a new consent needs. */
export interface WantedApp {
  platform: PlatformName;
  /** Default: the network has no instances. */
  instance?: string;
  /** The client ID in the operator's settings. The operator's other apps serve older logins. */
  operatorClientId?: string | undefined;
}

/** The app of a new consent: the project's, or else the operator's. Undefined: neither has one. */
export async function findAppFor(
  db: Db,
  projectId: string,
  vault: Vault,
  { platform, instance = '', operatorClientId }: WantedApp,
): Promise<App | undefined> {
  const { rows } = await sql<PlatformAppRow>`
    select * from platform_apps
    where platform = ${platform} and instance = ${instance} and (
      project_id = ${projectId}
      or project_id is null and (instance <> '' or client_id = ${operatorClientId ?? null}))
    order by project_id nulls last, updated_at desc limit 1`.execute(db);
  const [row] = rows;
  return row && openApp(vault, row);
}

/** The project's app or the operator's, by id. Undefined: it was deleted. */
export async function findApp(
  db: Db,
  projectId: string,
  vault: Vault,
  id: string,
): Promise<App | undefined> {
  const row = await db
    .selectFrom('platform_apps')
    .selectAll()
    .where(sql<boolean>`(project_id = ${projectId} or project_id is null)`)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && openApp(vault, row);
}

/** Finds the app of a network's call. The call proves itself with the app's secret. */
export function findAppByInboundKey(db: Db, key: string): Promise<PlatformAppRow | undefined> {
  return db
    .selectFrom('platform_apps')
    .selectAll()
    .where('inbound_key', '=', key)
    .executeTakeFirst();
}

/** The operator's apps that new consents use. */
export async function listOperatorApps(
  db: Db,
  settings: Record<PlatformName, AppSettings>,
): Promise<PlatformAppRow[]> {
  const apps = await db
    .selectFrom('platform_apps')
    .selectAll()
    .where('project_id', 'is', null)
    .where('instance', '=', '')
    .orderBy('platform')
    .execute();
  return apps.filter(({ platform, client_id }) => settings[platform].clientId === client_id);
}

/** The networks where a project has an app of its own. */
export async function listNetworksOfOwnApps(db: Db): Promise<string[]> {
  const apps = await db
    .selectFrom('platform_apps')
    .select('platform')
    .distinct()
    .where('project_id', 'is not', null)
    .execute();
  return apps.map(({ platform }) => platform);
}

/** Records that the network refused a call because it has not approved the app. */
export async function setAppUnaudited(db: Db, id: string): Promise<void> {
  await db
    .updateTable('platform_apps')
    .set({ approval: 'unaudited' })
    .where('id', '=', id)
    .where('approval', '=', 'unknown')
    .execute();
}

/**
 * Returns the project's own app, at most once a day. Undefined: the app is the operator's, or was returned
 * less than a day ago.
 */
export function claimCreditsExhausted(trx: Transaction, projectId: string, id: string) {
  return trx
    .updateTable('platform_apps')
    .set({ credits_exhausted_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where(sql<boolean>`coalesce(credits_exhausted_at < now() - interval '1 day', true)`)
    .returning(['platform', 'client_id', 'environment'])
    .executeTakeFirst();
}

/** Keeps the app until the end of the transaction. False: it was deleted. */
export async function lockApp(trx: Transaction, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('platform_apps')
    .select('id')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** The apps of the project that new consents use, at most one for each network. */
export function listProjectApps(db: Db, scope: RowScope): Promise<PlatformAppRow[]> {
  return selectInScope(db, scope, 'platform_apps')
    .distinctOn('platform')
    .where('instance', '=', '')
    .orderBy('platform')
    .orderBy('updated_at', 'desc')
    .execute();
}

/** All apps of the project at the network, by id. No account can be connected with them meanwhile. */
export function lockProjectApps(
  trx: Transaction,
  scope: RowScope,
  platform: string,
): Promise<PlatformAppRow[]> {
  return selectInScope(trx, scope, 'platform_apps')
    .where(sql<boolean>`platform = ${platform}`)
    .where('instance', '=', '')
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Deletes the network's other apps of the project that no grant needs. */
export async function deleteReplacedApps(
  trx: Transaction,
  projectId: string,
  { id, platform, instance }: PlatformAppRow,
): Promise<void> {
  await trx
    .deleteFrom('platform_apps')
    .where('project_id', '=', projectId)
    .where('platform', '=', platform)
    .where('instance', '=', instance)
    .where('id', '<>', id)
    // Not a join, for which Postgres might read all grants.
    .where(sql<boolean>`(select id from grants where app_id = platform_apps.id limit 1) is null`)
    .execute();
}

export async function deleteApps(
  trx: Transaction,
  projectId: string,
  ids: string[],
): Promise<void> {
  await trx
    .deleteFrom('platform_apps')
    .where('project_id', '=', projectId)
    .where('id', '=', sql<string>`any (${ids}::text[])`)
    .execute();
}

type SealedApp = Pick<
  PlatformAppRow,
  'id' | 'client_id' | 'client_secret' | 'client_secret_key_id' | 'settings'
>;

export function openApp(
  vault: Vault,
  {
    id,
    client_id: clientId,
    client_secret: ciphertext,
    client_secret_key_id: keyId,
    settings,
  }: SealedApp,
): App {
  const hasSecret = ciphertext !== null && keyId !== null;
  const clientSecret = hasSecret ? vault.open({ ciphertext, keyId }, sealContext(id)) : null;
  return { id, clientId, clientSecret, ...(settings && { settings }) };
}

/** Opens the app that a row was joined with. Null: the row has no app. */
export function openJoinedApp(
  vault: Vault,
  { app_id: id, client_id, ...app }: JoinedApp,
): App | null {
  if (id === null || client_id === null) return null;
  return openApp(vault, { ...app, id, client_id });
}

type JoinedApp = Pick<PlatformAppRow, 'client_secret' | 'client_secret_key_id' | 'settings'> & {
  app_id: string | null;
  client_id: string | null;
};

function sealSecret(vault: Vault, id: string, secret: string | null) {
  if (secret === null) return { client_secret: null, client_secret_key_id: null };
  const { ciphertext, keyId } = vault.seal(secret, sealContext(id));
  return { client_secret: ciphertext, client_secret_key_id: keyId };
}

const sealContext = (id: string) => `platform_apps/${id}`;
