// Lists of choices that networks gave for accounts, kept until they are old.
import { sql } from 'kysely';
import type { ChoiceRow, Db, Transaction } from '../tables.ts';

export interface ChoiceListKey {
  accountId: string;
  kind: string;
}

export type ChoiceListRow = NonNullable<Awaited<ReturnType<typeof findChoiceList>>>;

/** Undefined: no list is kept. */
export function findChoiceList(db: Db, projectId: string, { accountId, kind }: ChoiceListKey) {
  return db
    .selectFrom('choice_lists')
    .innerJoin('social_accounts', 'social_accounts.id', 'social_account_id')
    .select(['fetched_at', 'is_complete'])
    .select(sql<number>`(extract(epoch from now() - fetched_at) * 1000)::float8`.as('age_ms'))
    .where('project_id', '=', projectId)
    .where('social_account_id', '=', accountId)
    .where('kind', '=', kind)
    .executeTakeFirst();
}

export interface ChoiceFilters {
  parent_id?: string | undefined;
  /** Part of the name or of the description. */
  q?: string | undefined;
}

/** In the order of the network. `after`: position of the last choice of the page before. */
export function listChoiceRows(
  db: Db,
  projectId: string,
  { accountId, kind }: ChoiceListKey,
  { parent_id, q }: ChoiceFilters,
  { limit, after }: { limit: number; after: number | undefined },
): Promise<ChoiceRow[]> {
  const contains = (column: string) =>
    sql<boolean>`position(lower(${q}) in lower(${sql.ref(column)})) > 0`;
  return db
    .selectFrom('choices')
    .innerJoin('social_accounts', 'social_accounts.id', 'social_account_id')
    .selectAll('choices')
    .where('project_id', '=', projectId)
    .where('social_account_id', '=', accountId)
    .where('kind', '=', kind)
    .$if(parent_id !== undefined, (query) => query.where('parent_id', '=', parent_id!))
    .$if(q !== undefined, (query) =>
      query.where(({ or }) => or([contains('choices.name'), contains('choices.description')])),
    )
    .$if(after !== undefined, (query) => query.where('position', '>', after!))
    .orderBy('position')
    .limit(limit)
    .execute();
}

export interface NewChoiceList {
  choices: Omit<ChoiceRow, 'social_account_id' | 'kind' | 'position'>[];
  isComplete: boolean;
}

/** Replaces the list. False: the account is no longer active, so nothing was written. */
export async function replaceChoices(
  trx: Transaction,
  projectId: string,
  { accountId, kind }: ChoiceListKey,
  { choices, isComplete }: NewChoiceList,
): Promise<boolean> {
  // A transaction that disconnects the account waits for this one, and then deletes the list.
  const account = await trx
    .selectFrom('social_accounts')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', '=', accountId)
    .where('status', '=', 'active')
    .forKeyShare()
    .executeTakeFirst();
  if (!account) return false;
  const list = { is_complete: isComplete, fetched_at: sql<Date>`now()` };
  await trx
    .insertInto('choice_lists')
    .values({ social_account_id: accountId, kind, ...list })
    .onConflict((conflict) => conflict.columns(['social_account_id', 'kind']).doUpdateSet(list))
    .execute();
  await trx
    .deleteFrom('choices')
    .where('social_account_id', '=', accountId)
    .where('kind', '=', kind)
    .execute();
  const rows = choices.map((choice, position) => ({ ...choice, position }));
  await sql`
    insert into choices (social_account_id, kind, position, id, name, description, url, image_url,
      parent_id, disabled_reason)
    select ${accountId}, ${kind}, position, id, name, description, url, image_url, parent_id,
      disabled_reason
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as choice (position int, id text,
      name text, description text, url text, image_url text, parent_id text,
      disabled_reason text)`.execute(trx);
  return true;
}

/** Deletes the lists with their choices. */
export async function deleteChoiceLists(trx: Transaction, accountIds: string[]): Promise<void> {
  await trx
    .deleteFrom('choice_lists')
    .where('social_account_id', '=', sql<string>`any (${accountIds}::text[])`)
    .execute();
}
