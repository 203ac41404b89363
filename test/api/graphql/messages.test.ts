// Which live streams share a message.
import { expect, test } from 'vitest';
import { bookmark } from '../../../schema/change-kinds.ts';
import type { ChangeRow } from '../../../schema/database/tables.ts';
import { createMessages, type FindSubjects } from '../../../api/graphql/messages.ts';
import type { Context } from '../../../api/http/context.ts';

const change: ChangeRow = {
  id: '7',
  xid: '5',
  project_id: 'project_a',
  subject: 'post',
  subject_id: 'post_a',
  result_id: null,
  kind: 'created',
  environment: null,
  actor: null,
  created_at: new Date(),
};
const find: FindSubjects<{ id: string }> = (_context, _scope, ids) =>
  Promise.resolve(ids.map((id) => ({ id })));

test('a bookmark shares no message with the change at its cursor, which may be of another project', async () => {
  const messages = createMessages({} as Context);
  const cursor = 'same';
  const shown = await messages.read({ cursor, change }, 'production', find);
  const marked = await messages.read({ cursor, change: null }, 'production', find);
  const again = await messages.read({ cursor, change }, 'production', find);
  const subject = { id: 'post_a' };
  const actor = { type: 'system', id: null, name: null };
  expect(shown).toEqual({
    cursor,
    change: 'created',
    id: 'post_a',
    resultId: null,
    actor,
    subject,
  });
  const nothing = { id: null, resultId: null, actor: null, subject: null };
  expect(marked).toEqual({ cursor, change: bookmark, ...nothing });
  expect(again).toBe(shown);
});
