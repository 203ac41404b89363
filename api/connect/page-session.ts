// What the hosted pages show about a connect session.
import { listAccountsById } from '../../schema/database/accounts/accounts.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { platformDefinitions } from '../../schema/platforms/index.ts';
import { brandOf, type Brand } from '../http/pages/brand.ts';
import type { PageContext, Texts } from '../http/pages/texts.ts';
import { statusOf } from './session.ts';

export interface PageSession {
  id: string;
  texts: Texts;
  network: string;
  /** The project that asks for access. */
  brand: Brand;
  /** The account to reconnect. Null: the user chooses the accounts. */
  accountName: string | null;
  /** The accounts that the session has connected. */
  connected: readonly ConnectedAccount[];
  /** Null: the user can't be sent back. */
  returnUrl: string | null;
}

export interface ConnectedAccount {
  name: string;
  /** At the network. Null: the network names none. */
  pictureUrl: string | null;
}

export async function readPageSession(
  { db, platforms, texts }: PageContext,
  session: ConnectSessionRow,
): Promise<PageSession> {
  const { id, project_id: projectId, environment, social_account_id: accountId } = session;
  const project = await getProjectRow(db, projectId);
  const done = session.completed_social_account_ids;
  const ids = [...new Set(accountId === null ? done : [accountId, ...done])];
  const rows = await listAccountsById(db, { projectId, environment }, ids);
  const byId = new Map(rows.filter((row) => !row.is_erased).map((row) => [row.id, row]));
  const definition =
    platforms.get(session.platform)?.definition ??
    platformDefinitions.find(({ name }) => name === session.platform);
  return {
    id,
    texts,
    network: definition?.title ?? session.platform,
    brand: brandOf(project),
    accountName: (accountId !== null && byId.get(accountId)?.account_name) || null,
    connected: done
      .flatMap((id) => byId.get(id) ?? [])
      .map(({ account_name: name, picture_url: pictureUrl }) => ({ name, pictureUrl })),
    returnUrl: returnUrlOf(session),
  };
}

/** The address to send the user to. Null: show a page that says how the session ended. */
export function returnUrlOf(session: ConnectSessionRow): string | null {
  if (session.return_url === null) return null;
  const url = new URL(session.return_url);
  url.searchParams.set('status', statusOf(session));
  url.searchParams.set('session_id', session.id);
  if (session.completed_social_account_ids.length > 0) url.searchParams.delete('account_id');
  for (const id of session.completed_social_account_ids) url.searchParams.append('account_id', id);
  return url.href;
}
