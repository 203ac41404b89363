// Data that the hosted pages show about a session.
import { listAccountsById } from '../../schema/database/accounts/accounts.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { platformDefinitions } from '../../schema/platforms/index.ts';
import type { Context } from '../http/context.ts';
import type { Brand } from '../http/pages.ts';
import type { Visit } from './flow.ts';
import { statusOf } from './presenter.ts';
import type { SelectedWay } from './selected-way.ts';
import { newState } from './session-secrets.ts';

export interface PageSession {
  id: string;
  network: string;
  /** The project that asks for access. */
  brand: Brand;
  /** The account to reconnect. Null: the user chooses the accounts. */
  accountName: string | null;
  /** Null: the user can't be sent back. */
  returnUrl: string | null;
}

export async function readPageSession(
  { db, platforms }: Context,
  session: ConnectSessionRow,
): Promise<PageSession> {
  const { id, project_id: projectId, environment, social_account_id: accountId } = session;
  const { name, brand_color, logo_url } = await getProjectRow(db, projectId);
  const ids = accountId === null ? [] : [accountId];
  const [account] = await listAccountsById(db, { projectId, environment }, ids);
  const definition =
    platforms.get(session.platform)?.definition ??
    platformDefinitions.find(({ name }) => name === session.platform);
  return {
    id,
    network: definition?.title ?? session.platform,
    brand: { name, color: brand_color, logoUrl: logo_url },
    accountName: account?.account_name ?? null,
    returnUrl: returnUrlOf(session),
  };
}

/** The data of a form. */
export async function readForm(context: Context, { session, secret }: Visit, way: SelectedWay) {
  const shown = await readPageSession(context, session);
  return { ...way, session: shown, state: newState('form', session.id, secret) };
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
