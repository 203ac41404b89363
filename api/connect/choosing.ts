// The choice among the accounts of a login, on a page of its own where there are several.
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { describeProblem } from '../accounts/connect-at-network.ts';
import type { Context } from '../http/context.ts';
import { completeChoice, completeSession, restrictToAccount } from './ending.ts';
import { discardFlows, findFlow, keepFlow, type Choice, type Visit } from './flow.ts';
import { readForm, readPageSession } from './page-session.ts';
import { choicePage, usedPage } from './pages.ts';
import { selectWay } from './selected-way.ts';

/** Connects the only account of a login. Null: it has several, so the user chooses on the session's page. */
export async function finishLogin(
  context: Context,
  visit: Visit,
  login: Choice,
): Promise<ConnectSessionRow | null> {
  const choice = await restrict(context, visit.session, login);
  if (choice.grant.accounts.length === 1) return completeSession(context, visit.session, choice);
  await keepFlow(context, visit, choice);
  return null;
}

/** The login with the accounts that the session can connect. Discards a login that has none. */
async function restrict(
  context: Context,
  session: ConnectSessionRow,
  login: Choice,
): Promise<Choice> {
  try {
    const choice = await restrictToAccount(context, session, login);
    const { accounts } = choice.grant;
    if (accounts.some(({ problem }) => problem === null)) return choice;
    throw new AppError('conflict', accounts.map(describeProblem).join(' '));
  } catch (error) {
    if (error instanceof AppError) await discardFlows(context, session, [login]);
    throw error;
  }
}

/** Undefined: no login of this browser waits for a choice. */
export async function findChoicePage(
  context: Context,
  visit: Visit,
  failed: { chosen?: string[]; error?: AppError } = {},
): Promise<Response | undefined> {
  const flow = findFlow(context, visit);
  if (flow?.kind !== 'choice') return undefined;
  const form = await readForm(context, visit, selectWay(context, visit.session, flow.way));
  return choicePage({ ...form, accounts: flow.grant.accounts, ...failed });
}

/** Connects the chosen accounts. Returns the page to show if they can't be connected. */
export async function chooseAccounts(
  context: Context,
  visit: Visit,
  given: unknown[],
): Promise<ConnectSessionRow | Response> {
  const chosen = given.filter((id) => typeof id === 'string');
  try {
    return await completeChoice(context, visit, chosen);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const page = await findChoicePage(context, visit, { chosen, error });
    return page ?? usedPage(await readPageSession(context, visit.session));
  }
}
