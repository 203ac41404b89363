// A form of a session's page: cancels, chooses accounts, sends credentials, or begins a consent.
import { AppError } from '../../schema/wire/errors.ts';
import { connectAtNetwork } from '../accounts/connect-at-network.ts';
import { waitForRevocations } from '../accounts/revoke-login.ts';
import type { Context } from '../http/context.ts';
import { chooseAccounts } from './choosing.ts';
import { beginConsent } from './consent.ts';
import { cancelSession } from './ending.ts';
import { toChoice, type Visit } from './flow.ts';
import { readFields } from './form-fields.ts';
import { readForm } from './page-session.ts';
import { formPage, otherBrowserPage } from './pages.ts';
import { fieldsOf, selectWay, wayOf } from './selected-way.ts';
import { finish, leave, noSuchWay, show, showFailed } from './session-answers.ts';
import { isState, newState } from './session-secrets.ts';

/** `index`: position of the way whose form it is. */
export async function submitForm(
  context: Context,
  visit: Visit,
  index: number,
  form: Record<string, unknown>,
): Promise<Response> {
  const { session, secret } = visit;
  // With the cookie alone, any page of the same site could submit the form.
  if (!isState('form', session.id, secret, text(form['state']))) {
    return show(context, session, otherBrowserPage);
  }
  if (form['decision'] === 'cancel') return leave(context, await cancelSession(context, session));
  if (form['decision'] === 'choose') {
    const chosen = await chooseAccounts(context, visit, [form['account']].flat());
    return chosen instanceof Response ? chosen : leave(context, chosen);
  }
  const selected = selectWay(context, session, index);
  const way = wayOf(selected);
  if (!way) return showFailed(context, session, noSuchWay);
  const values = Object.fromEntries(
    readFields(fieldsOf(way))
      .fields.map(({ name }) => [name, text(form[name])] as const)
      .filter(([, value]) => value !== ''),
  );
  try {
    if (way.kind === 'consent') {
      const Location = await beginConsent(context, visit, selected, way, values);
      return new Response(null, { status: 303, headers: { Location } });
    }
    const { definition } = selected.platform;
    await waitForRevocations(context, session.project_id, definition.name);
    const grant = await connectAtNetwork(session.project_id, definition, way, values);
    const begun = { state: newState('flow', session.id, secret), way: selected.index, appId: null };
    return await finish(context, visit, toChoice(begun, grant));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return formPage({ ...(await readForm(context, visit, selected)), values, error });
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
