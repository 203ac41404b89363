// Answers to requests for a session's pages: a page of the session, or the way back to the app.
import { setTimeout as sleep } from 'node:timers/promises';
import { findConnectSession } from '../../schema/database/accounts/connect-sessions.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { AppError, errorKinds } from '../../schema/wire/errors.ts';
import type { Context } from '../http/context.ts';
import { findChoicePage, finishLogin } from './choosing.ts';
import { findFlow, type Choice, type Visit } from './flow.ts';
import { readPageSession, returnUrlOf, type PageSession } from './page-session.ts';
import { endedPage, failedPage, usedPage, type EndedStatus } from './pages.ts';
import { statusOf } from './presenter.ts';
import type { SelectedWay } from './selected-way.ts';

const usedCheckMs = 100;
const maxUsedChecks = 20;

export async function show(
  context: Context,
  session: ConnectSessionRow,
  page: (session: PageSession) => Promise<Response>,
): Promise<Response> {
  return page(await readPageSession(context, session));
}

export const showEnded = (context: Context, session: ConnectSessionRow, status: EndedStatus) =>
  show(context, session, (shown) => endedPage(status, shown));

export interface Failure {
  message: string;
  status: number;
}

export const noSuchWay: Failure = { message: 'This page does not exist.', status: 404 };

/** For a failure of a session that stays open. `selected`: the way to try again. */
export const showFailed = (
  context: Context,
  session: ConnectSessionRow,
  { message, status }: Failure,
  selected?: SelectedWay,
) => show(context, session, (shown) => failedPage(message, status, shown, selected));

/** The network can't be asked, or refuses the login. Throws any other error. */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof AppError)) throw error;
  return { message: error.message, status: errorKinds[error.code].status };
}

/** Sends the user to the return URL, or shows the last page. */
export async function leave(context: Context, session: ConnectSessionRow): Promise<Response> {
  const url = returnUrlOf(session);
  const status = statusOf(session);
  if (status === 'pending') throw new Error('The session of a user who leaves is still open.');
  if (url === null || status === 'expired') return showEnded(context, session, status);
  return new Response(null, { status: 303, headers: { Location: url } });
}

/** Another request with the same state may be about to end the session or to offer a choice. */
export async function leaveUsed(context: Context, visit: Visit): Promise<Response> {
  let { session } = visit;
  for (let attempt = 0; attempt < maxUsedChecks; attempt++) {
    session = (await findConnectSession(context.db, session.id))!;
    if (statusOf(session) !== 'pending') return leave(context, session);
    const now = { ...visit, session };
    const choice = await findChoicePage(context, now);
    if (choice) return choice;
    if (findFlow(context, now)) break;
    await sleep(usedCheckMs);
  }
  return show(context, session, usedPage);
}

/** Ends the session with the login's only account, or sends the user to the choice. */
export async function finish(context: Context, visit: Visit, login: Choice): Promise<Response> {
  const ended = await finishLogin(context, visit, login);
  if (ended) return leave(context, ended);
  const Location = `/connect/${visit.session.id}`;
  return new Response(null, { status: 303, headers: { Location } });
}
