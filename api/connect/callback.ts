// The callback of a consent: completes the login with which the user comes back from the network.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsentMethod } from '../../activities/platforms/platform.ts';
import { readGrant } from '../../activities/platforms/platform-answer.ts';
import { isNotApproved } from '../../activities/platforms/platform-error.ts';
import { findApp, setAppUnaudited } from '../../schema/database/accounts/apps.ts';
import { findConnectSession } from '../../schema/database/accounts/connect-sessions.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { AppError, errorKinds } from '../../schema/wire/errors.ts';
import { askForLogin, toConflict } from '../accounts/connect-at-network.ts';
import { appDeleted } from '../accounts/write-connection.ts';
import type { Context } from '../http/context.ts';
import { messageOf, type PageContext } from '../http/pages/texts.ts';
import { showChoice } from './choose.ts';
import { callbackUrlOf, consentCallbackUrl, type CallbackServer } from './consent.ts';
import { cancelSession, leave, offerAccounts } from './finish.ts';
import { otherBrowserPage, show, showFailed, usedPage } from './pages.ts';
import {
  claimConsent,
  discardFlows,
  findChoice,
  findFlow,
  isState,
  platformOf,
  statusOf,
  toChoice,
  type BegunConsent,
  type Choice,
  type Visit,
} from './session.ts';

/** `answered`: the server that the path names. */
export async function answerCallback(
  context: PageContext,
  visit: Visit,
  query: Record<string, string>,
  answered?: CallbackServer,
): Promise<Response> {
  const { session } = visit;
  const { state = '' } = query;
  if (!isState('flow', visit, state)) return show(context, session, otherBrowserPage);
  const { definition } = platformOf(context, session);
  const consent = await claimConsent(context, session, state);
  if (!consent) return leaveUsed(context, visit);
  const callbackUrl = consentCallbackUrl(context, definition, consent);
  if (callbackUrlOf(context, answered) !== callbackUrl) {
    const failure = { message: context.texts.connect.failures.otherServer, status: 409 };
    return showFailed(context, session, failure, consent.method);
  }
  if (isDenied(consent.method, query)) return cancelSession(context, session);
  try {
    const login = await completeConsent(context, session, consent, callbackUrl, query);
    return await offerAccounts(context, visit, login);
  } catch (error) {
    // An AppError means that the network can't be asked or refuses the login.
    if (!(error instanceof AppError)) throw error;
    const message = messageOf(context.texts, error);
    const failure = { message, status: errorKinds[error.code].status };
    return showFailed(context, session, failure, consent.method);
  }
}

/** Whether the callback says that the user refused access at the network (RFC 6749, section 4.1.2.1). */
function isDenied({ denials }: ConsentMethod, { error = '' }: Record<string, string>): boolean {
  return error === 'access_denied' || denials?.includes(error) === true;
}

/**
 * Exchanges the code for a login. A code works once, so a failed call can't be repeated. A login that Fanfare
 * refuses is revoked.
 */
async function completeConsent(
  context: Context,
  session: ConnectSessionRow,
  consent: BegunConsent,
  callbackUrl: string,
  query: Record<string, string>,
): Promise<Choice> {
  const { db, vault } = context;
  const { project_id: projectId } = session;
  const { method, state, inputs, flow, appId } = consent;
  const app = appId === null ? null : await findApp(db, projectId, vault, appId);
  if (app === undefined) throw new AppError('conflict', appDeleted);
  const { name: productName } = await getProjectRow(db, projectId);
  const { definition } = platformOf(context, session);
  const complete = async (signal: AbortSignal) => {
    const request = { state, callbackUrl, productName, app, inputs, flow };
    const grant = await method.complete(query, request, signal).catch(async (error: unknown) => {
      if (app && isNotApproved(error)) await setAppUnaudited(db, app.id);
      throw error;
    });
    try {
      return readGrant(grant, definition.scopes);
    } catch (error) {
      await discardFlows(context, session, [toChoice(consent, grant)]);
      throw error;
    }
  };
  const grant = await askForLogin(context, projectId, definition, complete, toConflict);
  return toChoice(consent, grant);
}

const usedCheckMs = 100;
const maxUsedChecks = 20;

/** Waits for another request with the same state, which may be about to end the session or offer a choice. */
async function leaveUsed(context: PageContext, visit: Visit): Promise<Response> {
  let { session } = visit;
  for (let attempt = 0; attempt < maxUsedChecks; attempt++) {
    session = (await findConnectSession(context.db, session.id))!;
    if (statusOf(session) !== 'pending') return leave(context, session);
    const now = { ...visit, session };
    const choice = findChoice(context, now);
    if (choice) return showChoice(context, now, choice);
    if (findFlow(context, now)) break;
    await sleep(usedCheckMs);
  }
  return show(context, session, usedPage);
}
