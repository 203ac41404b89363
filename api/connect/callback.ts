// The callback of a consent: completes the login that the network's page sent the user back with.
import type { Context } from '../http/context.ts';
import type { CallbackServer } from './consent-app.ts';
import { completeConsent, isDenied, isOtherServer } from './consent.ts';
import { cancelSession } from './ending.ts';
import { takeFlow } from './flow.ts';
import { otherBrowserPage, usedPage } from './pages.ts';
import { selectWay } from './selected-way.ts';
import { finish, leave, leaveUsed, show, showFailed, toFailure } from './session-answers.ts';
import { isState, sessionIdOf } from './session-secrets.ts';
import { findPending, type PageContext } from './visits.ts';

const otherServer = {
  message: 'Another server answered than the one where you began. Your account was not connected.',
  status: 409,
};

/** `answered`: the server that the path names. */
export async function answerCallback(
  context: Context,
  c: PageContext,
  answered?: CallbackServer,
): Promise<Response> {
  const query = c.req.query();
  const { state = '' } = query;
  const found = await findPending(context, c, sessionIdOf(state));
  if (found instanceof Response) return found;
  const { session, secret } = found;
  if (!isState('flow', session.id, secret, state)) return show(context, session, otherBrowserPage);
  const begun = await takeFlow(context, session, state);
  if (!begun) return leaveUsed(context, found);
  const selected = selectWay(context, session, begun.way);
  if (isOtherServer(context, selected, begun, answered)) {
    return showFailed(context, session, otherServer, selected);
  }
  if (isDenied(selected, query)) return leave(context, await cancelSession(context, session));
  try {
    const choice = await completeConsent(context, session, selected, begun, query);
    return choice ? await finish(context, found, choice) : await show(context, session, usedPage);
  } catch (error) {
    return showFailed(context, session, toFailure(error), selected);
  }
}
