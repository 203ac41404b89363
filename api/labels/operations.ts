// Lists the labels of posts, with the number of posts that have each.
import { listLabelRows } from '../../schema/database/posts/listing/counts.ts';
import type { Label, ListLabels } from '../../schema/posts/labels.ts';
import { toCursor, type Page } from '../../schema/wire/listing.ts';
import type { Caller, Context } from '../http/context.ts';
import { labelPrefix, page } from '../http/listing.ts';

/** A label is its own ID. In hex, its cursor has the form of others. */
const idOf = ({ name }: Label) => `${labelPrefix}${Buffer.from(name).toString('hex')}`;
const nameOf = (id: string) => Buffer.from(id.slice(labelPrefix.length), 'hex').toString();

export function listLabels(
  { db, scanInTurn }: Context,
  caller: Caller,
  paging: ListLabels,
): Promise<Page<Label>> {
  return page(
    'label',
    paging,
    async ({ limit, before }) => {
      const after = before === undefined ? undefined : nameOf(before);
      const rows = await scanInTurn(caller.projectId, () =>
        listLabelRows(db, caller, { limit, after }),
      );
      return rows.map((label) => ({ id: idOf(label), label }));
    },
    (rows) => rows.map(({ label }) => label),
  );
}

export const toLabelCursor = (label: Label): string => toCursor(idOf(label));
