// State that a connect session keeps between its pages, sealed.
import type { Flow, Grant } from '../../activities/platforms/platform.ts';
import {
  lockConnectSession,
  setConnectSessionFlow,
} from '../../schema/database/accounts/connect-sessions.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import type { Vault } from '../../schema/database/vault.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { revokeUnused } from '../accounts/revoke-login.ts';
import type { Context } from '../http/context.ts';
import { statusOf } from './presenter.ts';
import { isState } from './session-secrets.ts';

const maxConsents = 5;
const maxChoices = 5;

interface FlowOf<Kind> {
  kind: Kind;
  /** Proves that a request comes from the browser that began the flow. Each begin has another one. */
  state: string;
  /** Position in `platform.connect`. */
  way: number;
  /** The app that the login is made with. Null: none. */
  appId: string | null;
}

/** A consent that has begun, until its callback. */
export interface BegunConsent extends FlowOf<'consent'> {
  inputs: Record<string, string>;
  flow: Flow;
}

/** A login, until the user has chosen among its accounts. */
export interface Choice extends FlowOf<'choice'> {
  grant: Grant;
}

/** Keeps the state: the callback of a consent may be loaded again. */
export const toChoice = (
  { state, way, appId }: Pick<Choice, 'state' | 'way' | 'appId'>,
  grant: Grant,
): Choice => ({ kind: 'choice', state, way, appId, grant });

export type StoredFlow = BegunConsent | Choice;

/** A browser at the pages of a session. */
export interface Visit {
  session: ConnectSessionRow;
  /** The browser's secret, from its cookie. */
  secret: string;
}

/** The flow of this browser. */
export function findFlow(context: Context, visit: Visit): StoredFlow | undefined {
  return openFlows(context.vault, visit.session).find((flow) => isOwn(visit, flow));
}

/**
 * Replaces the flow of this browser, and keeps those of others. Of too many consents the oldest goes, as it may
 * have been abandoned. Too many choices are refused: each one is a login that someone has completed. If the
 * session has ended, the new flow is discarded instead.
 */
export async function keepFlow(context: Context, visit: Visit, flow: StoredFlow): Promise<void> {
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
  if (isRefused) throw new AppError('conflict', tooManyChoices);
}

const tooManyChoices =
  'Too many people have logged in with this link. Go back to the app and ask for a new one.';

/** Returns the consent with this state only once. Undefined: it was used or replaced. */
export async function takeFlow(
  context: Context,
  session: ConnectSessionRow,
  state: string,
): Promise<BegunConsent | undefined> {
  const taken = await updateFlows(context, session, (known) =>
    known.filter((flow) => flow.kind !== 'consent' || flow.state !== state),
  );
  return taken?.find((flow) => flow.kind === 'consent');
}

/** Returns the flows that the session no longer has. Undefined: the session has ended. */
function updateFlows(
  { db, notifier, vault }: Context,
  { id, project_id: projectId }: ConnectSessionRow,
  update: (known: StoredFlow[]) => StoredFlow[],
): Promise<StoredFlow[] | undefined> {
  return inTransaction(db, notifier, async (trx) => {
    const session = await lockConnectSession(trx, projectId, id);
    if (statusOf(session) !== 'pending') return undefined;
    const known = openFlows(vault, session);
    const kept = update(known);
    await setConnectSessionFlow(trx, projectId, id, sealFlows(vault, id, kept));
    return known.filter((flow) => !kept.includes(flow));
  });
}

function isOwn({ session, secret }: Visit, { state }: StoredFlow): boolean {
  return isState('flow', session.id, secret, state);
}

/** Ends a grant that nobody will use, at its network. Credentials that the user typed in stay theirs. */
export async function discardFlows(
  context: Context,
  { id, platform: name, project_id }: ConnectSessionRow,
  unused: readonly StoredFlow[],
): Promise<void> {
  const platform = context.platforms.get(name);
  for (const flow of unused) {
    if (flow.kind !== 'choice' || platform?.connect[flow.way]?.kind !== 'consent') continue;
    try {
      await revokeUnused(context, project_id, platform, flow.grant, flow.appId);
    } catch (err) {
      const message = 'cannot revoke an unused login at its network';
      context.log.warn({ component: 'connect', err, connect_session_id: id }, message);
    }
  }
}

function sealFlows(vault: Vault, sessionId: string, flows: StoredFlow[]) {
  if (flows.length === 0) return { flow: null, flow_key_id: null };
  const { ciphertext, keyId } = vault.seal(JSON.stringify(flows), sealContext(sessionId));
  return { flow: ciphertext, flow_key_id: keyId };
}

/** One flow for each browser. Empty if the vault no longer has their key: users then begin again. */
export function openFlows(
  vault: Vault,
  { id, flow, flow_key_id: keyId }: ConnectSessionRow,
): StoredFlow[] {
  if (flow === null || keyId === null || !vault.hasKey(keyId)) return [];
  const opened = vault.open({ ciphertext: flow, keyId }, sealContext(id));
  return (JSON.parse(opened) as StoredFlow[]).map((stored) => {
    if (stored.kind === 'consent') return stored;
    const { tokenExpiresAt } = stored.grant;
    const expiry = tokenExpiresAt && new Date(tokenExpiresAt);
    return { ...stored, grant: { ...stored.grant, tokenExpiresAt: expiry } };
  });
}

const sealContext = (sessionId: string) => `connect_sessions/${sessionId}/flow`;
