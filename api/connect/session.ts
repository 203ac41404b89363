// A connect session: its status, the states of its forms, and its sealed data: consents that have begun, and
// logins to choose from.
import type {
  ConnectMethod,
  ConsentMethod,
  Flow,
  Grant,
  Platform,
} from '../../activities/platforms/platform.ts';
import type { ConnectSessionStatus } from '../../schema/accounts.ts';
import {
  lockConnectSession,
  setConnectSessionFlow,
} from '../../schema/database/accounts/connect-sessions.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { revokeUnused } from '../accounts/revoke-login.ts';
import type { Context } from '../http/context.ts';
import { isState as isStateOf, newState as newStateOf, type StateOf } from '../http/hosted-link.ts';
import { PageError } from '../http/pages/texts.ts';

export const sessionLifetimeMs = 30 * 60_000;

/** A browser at the pages of an open session. */
export interface Visit {
  session: ConnectSessionRow;
  /** The browser's secret, from its cookie. */
  secret: string;
}

/** A pending session expires at `expires_at`, without a change of the row. */
export function statusOf({ status, expires_at }: ConnectSessionRow): ConnectSessionStatus {
  return status === 'pending' && expires_at.getTime() <= Date.now() ? 'expired' : status;
}

export function platformOf({ platforms }: Context, session: ConnectSessionRow): Platform {
  const platform = platforms.get(session.platform);
  if (platform) return platform;
  throw new Error(`The network ${session.platform} is no longer configured.`);
}

/** What the session's page offers. */
export type Offer = Pick<Platform, 'connect'>;

export function offerOf(context: Context, session: ConnectSessionRow): Offer {
  const { connect } = platformOf(context, session);
  const { login } = session;
  if (login === null) return { connect };
  return {
    connect: connect.filter((method) => method.kind === 'consent' && method.name === login),
  };
}

/** A state is valid for one session in one browser. */
export const newState = (of: StateOf, { session, secret }: Visit) =>
  newStateOf(of, session.id, secret);

export const isState = (of: StateOf, { session, secret }: Visit, given: string) =>
  isStateOf(of, session.id, secret, given);

export function sessionIdOf(state: string): string {
  return state.split('.')[0] ?? '';
}

const maxConsents = 5;
const maxChoices = 5;

interface BegunFlow {
  /**
   * Proves that a request comes from the browser that began the flow. Each consent or login gets a new state.
   */
  state: string;
  /** The app that the login is made with. Null: none. */
  appId: string | null;
}

/** A consent that has begun, until its callback. */
export interface BegunConsent extends BegunFlow {
  kind: 'consent';
  method: ConsentMethod;
  inputs: Record<string, string>;
  flow: Flow;
}

/** A login, until the user has chosen among its accounts. */
export interface Choice extends BegunFlow {
  kind: 'choice';
  method: ConnectMethod;
  grant: Grant;
}

/** The choice keeps the state of its consent, because the browser may load the callback again. */
export const toChoice = (
  { state, method, appId }: Pick<Choice, 'state' | 'method' | 'appId'>,
  grant: Grant,
): Choice => ({ kind: 'choice', state, method, appId, grant });

type SessionFlow = BegunConsent | Choice;

/** The flow of this browser. */
export function findFlow(context: Context, visit: Visit): SessionFlow | undefined {
  return openFlows(context, visit.session).find((flow) => isOwn(visit, flow));
}

/** The login of this browser that waits for a choice among its accounts. */
export function findChoice(context: Context, visit: Visit): Choice | undefined {
  const flow = findFlow(context, visit);
  return flow?.kind === 'choice' ? flow : undefined;
}

/**
 * Replaces the flow of this browser, and keeps the flows of other browsers. If the session has too many
 * consents, drops the oldest one, which may have been abandoned. Refuses too many choices, because each
 * choice is a login that someone has completed. If the session has ended, the new flow is discarded instead.
 */
export async function keepFlow(context: Context, visit: Visit, flow: SessionFlow): Promise<void> {
  let isRefused = false;
  const unused = await updateFlows(context, visit.session, (known) => {
    const others = known.filter((each) => !isOwn(visit, each));
    const choices = others.filter(({ kind }) => kind === 'choice');
    const consents = others.filter(({ kind }) => kind === 'consent');
    if (flow.kind === 'consent') return [...choices, ...consents.slice(1 - maxConsents), flow];
    isRefused = choices.length >= maxChoices;
    return isRefused ? known : [...others, flow];
  });
  const isKept = unused !== undefined && !isRefused;
  await discardFlows(context, visit.session, isKept ? unused : [flow]);
  if (isRefused) {
    throw new PageError('conflict', ({ connect }) => connect.failures.tooManyLogins);
  }
}

/** Returns the consent with this state only once. Undefined: the consent was used or replaced. */
export async function claimConsent(
  context: Context,
  session: ConnectSessionRow,
  state: string,
): Promise<BegunConsent | undefined> {
  const claimed = await updateFlows(context, session, (known) =>
    known.filter((flow) => flow.kind !== 'consent' || flow.state !== state),
  );
  return claimed?.find((flow) => flow.kind === 'consent');
}

/** Returns the flows that the session no longer has. Undefined: the session has ended. */
function updateFlows(
  context: Context,
  { id, project_id: projectId }: ConnectSessionRow,
  update: (known: SessionFlow[]) => SessionFlow[],
): Promise<SessionFlow[] | undefined> {
  return inTransaction(context.db, context.notifier, async (trx) => {
    const session = await lockConnectSession(trx, projectId, id);
    if (statusOf(session) !== 'pending') return undefined;
    const known = openFlows(context, session);
    const kept = update(known);
    await setConnectSessionFlow(trx, projectId, id, sealFlows(context, session, kept));
    return known.filter((flow) => !kept.includes(flow));
  });
}

const isOwn = (visit: Visit, { state }: SessionFlow) => isState('flow', visit, state);

/** Revokes the logins among flows that nobody will use. Credentials that a user typed in stay valid. */
export async function discardFlows(
  context: Context,
  { id, platform: name, project_id }: ConnectSessionRow,
  unused: readonly SessionFlow[],
): Promise<void> {
  const platform = context.platforms.get(name);
  for (const flow of unused) {
    if (!platform || flow.kind !== 'choice' || flow.method.kind !== 'consent') continue;
    try {
      await revokeUnused(context, project_id, platform, flow.grant, flow.appId);
    } catch (err) {
      const message = 'cannot revoke an unused login at its network';
      context.log.warn({ component: 'connect', err, connect_session_id: id }, message);
    }
  }
}

/** A flow in its sealed form. `methodIndex`: index of the flow's method in `platform.connect`. */
type StoredFlow = (Omit<BegunConsent, 'method'> | Omit<Choice, 'method'>) & {
  methodIndex: number;
};

function sealFlows(context: Context, session: ConnectSessionRow, flows: SessionFlow[]) {
  if (flows.length === 0) return { flow: null, flow_key_id: null };
  const { connect } = platformOf(context, session);
  const stored = flows.map(({ method, ...flow }): StoredFlow => ({
    ...flow,
    methodIndex: connect.indexOf(method),
  }));
  const { ciphertext, keyId } = context.vault.seal(JSON.stringify(stored), sealContext(session.id));
  return { flow: ciphertext, flow_key_id: keyId };
}

/**
 * Opens the flows of the session, one for each browser. Leaves out flows whose method the network no longer
 * has. Returns no flows if the vault no longer has the key, so that users begin again.
 */
export function openFlows(
  { platforms, vault }: Context,
  { id, platform, flow, flow_key_id: keyId }: ConnectSessionRow,
): SessionFlow[] {
  if (flow === null || keyId === null || !vault.hasKey(keyId)) return [];
  const opened = vault.open({ ciphertext: flow, keyId }, sealContext(id));
  const { connect = [] } = platforms.get(platform) ?? {};
  const known = JSON.parse(opened) as StoredFlow[];
  return known.flatMap(({ methodIndex, ...stored }): SessionFlow[] => {
    const method = connect[methodIndex];
    if (stored.kind === 'consent') return method?.kind === 'consent' ? [{ ...stored, method }] : [];
    const { tokenExpiresAt } = stored.grant;
    const grant = { ...stored.grant, tokenExpiresAt: tokenExpiresAt && new Date(tokenExpiresAt) };
    return method ? [{ ...stored, method, grant }] : [];
  });
}

const sealContext = (sessionId: string) => `connect_sessions/${sessionId}/flow`;
