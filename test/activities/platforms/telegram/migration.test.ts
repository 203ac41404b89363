// A Telegram group becomes a supergroup while its account has posts to publish.
import { expect, test } from 'vitest';
import { toKind } from '../../../support/networks/contract/kind.ts';
import { advanceToEnd, dependenciesOf, writePost } from '../../../support/networks/posting.ts';
import {
  createTelegramServer,
  group,
  supergroup,
} from '../../../support/networks/telegram/server.ts';
import { serveTelegram, telegram } from '../../../support/networks/telegram/subject.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { readGranted } from '../../../support/rows/grants.ts';

const database = useDatabase();

test('a post moves its account to the supergroup and is published there', async () => {
  const server = createTelegramServer([{ ...group }, supergroup]);
  const kind = toKind({
    ...telegram,
    start: (switchboard) => serveTelegram(server, String(group.id), switchboard),
  });
  await using network = await kind.start(database.db);
  const post = await writePost(database.db, network, 'thread');
  server.chats[0]!.migratedTo = supergroup.id;

  const dependencies = dependenciesOf(database.db, network);
  for (const resultId of post.resultIds) await advanceToEnd(dependencies, resultId);

  const results = await database.db
    .selectFrom('post_results')
    .select(['status', 'external_id', 'url'])
    .where('post_id', '=', post.postId)
    .orderBy('position')
    .execute();
  expect(results).toEqual([
    { status: 'published', external_id: '101', url: 'https://t.me/c/9876543210/101' },
    { status: 'published', external_id: '102', url: 'https://t.me/c/9876543210/102' },
  ]);
  expect(server.listPosts(group.id)).toEqual([]);
  expect(server.listPosts(supergroup.id)).toMatchObject([{ replyTo: null }, { replyTo: '101' }]);
  expect(await readGranted(database.db, post.accountId)).toMatchObject({
    status: 'active',
    account_name: supergroup.title,
    external_account_id: String(supergroup.id),
    credential_version: 2,
  });
});
