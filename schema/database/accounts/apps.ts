// Queries on apps: the clients that the operator and the projects have registered at networks.
import { sql } from 'kysely';
import { newId } from '../../wire/ids.ts';
import { validationError } from '../../wire/errors.ts';
import type { App } from '../../platforms/definition.ts';
import type { PlatformEntry, PlatformName } from '../../platforms/index.ts';
import type { Db, PlatformAppRow, Transaction } from '../tables.ts';
import type { Vault } from '../vault.ts';

export interface GivenApp {
  /** Null: the operator's. */
  projectId: string | null;
  platform: PlatformName;
  /** The server that knows the client, for networks of many servers. */
  instance?: string;
  clientId: string;
  clientSecret: string | null;
}

/** Inserts the app, or sets the secret of the known app with this client ID. */
export async function putApp(
  db: Db,
  vault: Vault,
  { projectId, platform, instance = '', clientId, clientSecret }: GivenApp,
): Promise<PlatformAppRow> {
  const key = { project_id: projectId, platform, instance, client_id: clientId };
  await db
    .insertInto('platform_apps')
    .values({ id: newId('app'), ...key })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { id } = await db
    .selectFrom('platform_apps')
    .select('id')
    .where('project_id', 'is not distinct from', projectId)
    .where('platform', '=', platform)
    .where('instance', '=', instance)
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  return db
    .updateTable('platform_apps')
    .set({ ...sealSecret(vault, id, clientSecret), updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** What a new consent asks for. */
export interface WantedApp {
  projectId: string;
  definition: PlatformEntry;
  /** Default: the network has no instances. */
  instance?: string;
  /** The client ID in the operator's settings. The operator's other apps of the network serve old grants. */
  operatorClientId?: string | undefined;
}

/**
 * The app of a new consent: the project's, or else the operator's. Null: the network needs none. Throws
 * `platform_not_configured` if it needs one.
 */
export async function findAppFor(
  db: Db,
  vault: Vault,
  { projectId, definition, instance = '', operatorClientId }: WantedApp,
): Promise<App | null> {
  const { rows } = await sql<PlatformAppRow>`
    select * from platform_apps
    where platform = ${definition.name} and instance = ${instance} and (
      project_id = ${projectId}
      or project_id is null and (instance <> '' or client_id = ${operatorClientId ?? null}))
    order by project_id nulls last, updated_at desc limit 1`.execute(db);
  const [row] = rows;
  if (row) return openApp(vault, row);
  if (!definition.hasApp) return null;
  throw validationError([
    { path: ['platform'], code: 'platform_not_configured', message: 'is not configured here' },
  ]);
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

export type SealedApp = Pick<
  PlatformAppRow,
  'id' | 'client_id' | 'client_secret' | 'client_secret_key_id'
>;

export function openApp(
  vault: Vault,
  { id, client_id: clientId, client_secret: ciphertext, client_secret_key_id: keyId }: SealedApp,
): App {
  const hasSecret = ciphertext !== null && keyId !== null;
  const clientSecret = hasSecret ? vault.open({ ciphertext, keyId }, sealContext(id)) : null;
  return { id, clientId, clientSecret };
}

/** For a row that joins an app. Null: it joined none. */
export function openJoinedApp(
  vault: Vault,
  { app_id: id, client_id, client_secret, client_secret_key_id }: JoinedApp,
): App | null {
  if (id === null || client_id === null) return null;
  return openApp(vault, { id, client_id, client_secret, client_secret_key_id });
}

type JoinedApp = Pick<PlatformAppRow, 'client_secret' | 'client_secret_key_id'> & {
  app_id: string | null;
  client_id: string | null;
};

function sealSecret(vault: Vault, id: string, secret: string | null) {
  if (secret === null) return { client_secret: null, client_secret_key_id: null };
  const { ciphertext, keyId } = vault.seal(secret, sealContext(id));
  return { client_secret: ciphertext, client_secret_key_id: keyId };
}

const sealContext = (id: string) => `platform_apps/${id}`;
