// A consent at the network's own page: sends the user there, and completes the login with its callback.
import type { ConsentMethod, Grant } from '../../activities/platforms/platform.ts';
import { findApp } from '../../schema/database/accounts/apps.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { appDeleted } from '../accounts/write-connection.ts';
import { beginAtNetwork, completeAtNetwork } from '../accounts/connect-at-network.ts';
import { waitForRevocations } from '../accounts/revoke-login.ts';
import type { Context } from '../http/context.ts';
import {
  callbackServerOf,
  callbackUrlOf,
  findConsentApp,
  type CallbackServer,
} from './consent-app.ts';
import {
  discardFlows,
  keepFlow,
  toChoice,
  type BegunConsent,
  type Choice,
  type Visit,
} from './flow.ts';
import { wayOf, type SelectedWay } from './selected-way.ts';
import { newState } from './session-secrets.ts';

/** Returns the address of the consent page. */
export async function beginConsent(
  context: Context,
  visit: Visit,
  { platform, index }: SelectedWay,
  way: ConsentMethod,
  given: Record<string, string>,
): Promise<string> {
  const { id, project_id: projectId } = visit.session;
  const state = newState('flow', id, visit.secret);
  const { definition } = platform;
  const begun = await beginAtNetwork(projectId, way, given, async (inputs, signal) => {
    const callbackUrl = callbackUrlOf(context, callbackServerOf(definition, way, inputs));
    const wanted = { definition, way, inputs, callbackUrl };
    const app = await findConsentApp(context, projectId, wanted, signal);
    const { url, flow } = await way.begin({ state, callbackUrl, inputs, app }, signal);
    return { url, flow, inputs, appId: app?.id ?? null };
  });
  const { url, ...stored } = begun;
  await keepFlow(context, visit, { kind: 'consent', state, way: index, ...stored });
  return url;
}

/** `answered`: the server that the callback's path names. */
export function isOtherServer(
  context: Context,
  selected: SelectedWay,
  begun: BegunConsent,
  answered: CallbackServer | undefined,
): boolean {
  return callbackUrlOf(context, answered) !== ownCallbackUrl(context, selected, begun);
}

function ownCallbackUrl(context: Context, selected: SelectedWay, { inputs }: BegunConsent): string {
  const way = wayOf(selected);
  const { definition } = selected.platform;
  const server = way?.kind === 'consent' ? callbackServerOf(definition, way, inputs) : undefined;
  return callbackUrlOf(context, server);
}

/** The user refused at the network, as the callback says: RFC 6749, section 4.1.2.1. */
export function isDenied(selected: SelectedWay, { error = '' }: Record<string, string>): boolean {
  const way = wayOf(selected);
  const denials = way?.kind === 'consent' ? way.denials : undefined;
  return error === 'access_denied' || denials?.includes(error) === true;
}

/** Undefined: the network has lost this way since the consent began. */
export async function completeConsent(
  context: Context,
  session: ConnectSessionRow,
  selected: SelectedWay,
  begun: BegunConsent,
  query: Record<string, string>,
): Promise<Choice | undefined> {
  const { project_id: projectId } = session;
  const { state, inputs, flow, appId } = begun;
  const way = wayOf(selected);
  if (way?.kind !== 'consent') return undefined;
  const app = appId === null ? null : await findApp(context.db, projectId, context.vault, appId);
  if (app === undefined) throw new AppError('conflict', appDeleted);
  const callbackUrl = ownCallbackUrl(context, selected, begun);
  const request = { state, callbackUrl, app, inputs, flow };
  const { definition } = selected.platform;
  const discard = (grant: Grant) => discardFlows(context, session, [toChoice(begun, grant)]);
  await waitForRevocations(context, projectId, definition.name);
  const grant = await completeAtNetwork(projectId, definition, way, query, request, discard);
  return toChoice(begun, grant);
}
