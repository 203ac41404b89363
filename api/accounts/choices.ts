// Lists what a network offers to an account as values of options. Lists are kept for an hour, and searched here.
import { callForAccount } from '../../activities/logins/call-for-account.ts';
import { readAllChoices, type StorableChoice } from '../../activities/platforms/choices.ts';
import { PlatformError } from '../../activities/platforms/platform-error.ts';
import type { Platform, ReadChoices } from '../../activities/platforms/platform.ts';
import { within } from '../../activities/within.ts';
import {
  Choice,
  choicesFreshForMs,
  choicesRefreshAfterMs,
  type ChoiceListMembers,
  type ListChoices,
} from '../../schema/choices.ts';
import { getAccountRow } from '../../schema/database/accounts/accounts.ts';
import {
  findChoiceList,
  listChoiceRows,
  replaceChoices,
  type ChoiceListKey,
  type ChoiceListRow,
} from '../../schema/database/accounts/choices.ts';
import type { SocialAccountRow } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { toCursor, type Page } from '../../schema/wire/listing.ts';
import { present } from '../../schema/wire/present.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import type { Caller, Context } from '../http/context.ts';
import { choicePrefix, page } from '../http/listing.ts';
import { requirePlatform } from '../platforms/absence.ts';
import { askNetwork, toConflict } from './connect-at-network.ts';
import { lostAccount } from './lost-account.ts';

/** A choice with its place in the list. */
export interface PlacedChoice extends Choice {
  position: number;
}

/** Asks the network if no list is kept, or if the kept one is too old. */
export async function listPlacedChoices(
  context: Context,
  caller: Caller,
  key: ChoiceListKey,
  { limit, cursor, refresh, ...filters }: ListChoices,
): Promise<Page<PlacedChoice> & ChoiceListMembers> {
  const { db } = context;
  const { projectId } = caller;
  const source = findSource(context, await getAccountRow(db, caller, key.accountId), key);
  const maxAgeMs = refresh ? choicesRefreshAfterMs : choicesFreshForMs;
  const { fetched_at, is_complete } = await findList(context, source, maxAgeMs);
  const choices = await page(
    'choice',
    { limit, cursor },
    async ({ limit, before }) => {
      const after = before === undefined ? undefined : Number(before.slice(choicePrefix.length));
      const rows = await listChoiceRows(db, projectId, key, filters, { limit, after });
      return rows.map((row) => ({ id: `${choicePrefix}${row.position}`, row }));
    },
    (rows) => rows.map(({ row }) => ({ ...present(Choice, row), position: row.position })),
  );
  return { ...choices, fetched_at: toTimestamp(fetched_at), is_complete };
}

export async function listAccountChoices(
  ...request: Parameters<typeof listPlacedChoices>
): Promise<Page<Choice> & ChoiceListMembers> {
  const { data, ...list } = await listPlacedChoices(...request);
  return { ...list, data: data.map(({ position: _position, ...choice }) => choice) };
}

export function toChoiceCursor({ position }: PlacedChoice): string {
  return toCursor(`${choicePrefix}${position}`);
}

/** Where a list comes from. */
interface Source {
  projectId: string;
  platform: Platform;
  key: ChoiceListKey;
  readPage: ReadChoices;
}

/** Throws unless the account is connected, and its network has choices of this kind. */
function findSource(
  { platforms }: Context,
  { platform: name, status, project_id: projectId }: SocialAccountRow,
  key: ChoiceListKey,
): Source {
  const platform = requirePlatform(platforms, name);
  const { choices = {} } = platform;
  const readPage = Object.hasOwn(choices, key.kind) ? choices[key.kind] : undefined;
  if (!readPage) {
    const kinds = Object.keys(choices).join(', ') || 'none';
    const message = `${platform.definition.title} has no choices of the kind ${key.kind.slice(0, 64)}.`;
    throw new AppError('not_found', message, { hint: `It has these kinds: ${kinds}.` });
  }
  if (status !== 'active') throw lostAccount(status);
  return { projectId, platform, key, readPage };
}

/** Long enough for a refresh of the login and for several pages of the network's list. */
const answerWithinMs = 30_000;
const retryAfterS = 5;
const awayHint =
  'Try again after `Retry-After`. If the error persists, check that the network is up and that Fanfare can reach it.';

async function findList(
  context: Context,
  source: Source,
  maxAgeMs: number,
): Promise<ChoiceListRow> {
  const { db, shareCall } = context;
  const { projectId, platform, key } = source;
  const findFresh = async () => {
    const list = await findChoiceList(db, projectId, key);
    return list && list.age_ms <= maxAgeMs ? list : undefined;
  };
  const fresh = await findFresh();
  if (fresh) return fresh;
  const name = `choices/${key.accountId}/${key.kind}`;
  const isKept = await within(
    answerWithinMs,
    // Another request may have fetched the list in the meantime.
    shareCall(name, async () => (await findFresh()) !== undefined || fetchList(context, source)),
  );
  if (isKept === undefined) {
    const message = `${platform.definition.title} has not answered in time.`;
    throw new AppError('unavailable', message, { hint: awayHint, retryAfterS });
  }
  const list = isKept ? await findChoiceList(db, projectId, key) : undefined;
  if (!list) throw lostAccount('disconnected');
  return list;
}

/** Returns false if the account was disconnected in the meantime, because then the list is not kept. */
async function fetchList(
  context: Context,
  { projectId, platform, key, readPage }: Source,
): Promise<boolean> {
  const { db, notifier, config } = context;
  const dependencies = { ...context, previewEvents: config.previewEvents };
  const ask = (signal: AbortSignal) =>
    callForAccount(dependencies, platform, key.accountId, (access) =>
      readAllChoices(readPage, access, signal),
    ).catch((error: unknown) => {
      const isEnded = error instanceof PlatformError && error.kind === 'reauthorize';
      throw isEnded ? lostAccount('reconnect_required') : error;
    });
  const { choices, isComplete } = await askNetwork(projectId, ask, toConflict, awayHint);
  const list = { choices: choices.map(toRow), isComplete };
  return inTransaction(db, notifier, (trx) => replaceChoices(trx, projectId, key, list));
}

const toRow = ({ imageUrl, parentId, disabledReason, ...choice }: StorableChoice) => ({
  ...choice,
  image_url: imageUrl,
  parent_id: parentId,
  disabled_reason: disabledReason,
});
