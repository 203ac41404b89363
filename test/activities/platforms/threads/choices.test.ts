// The choices of a profile on Threads: its posts, which a post can quote.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { listChoices } from '../../../support/networks/connection.ts';
import { startThreads } from '../../../support/networks/threads/connected.ts';

type Network = Awaited<ReturnType<typeof startThreads>>;

const list = ({ threads, connection }: Network) => listChoices(threads, connection, 'post');

describe('posts', () => {
  test('are listed newest first, with their text', async () => {
    await using network = await startThreads();
    const first = network.server.addPost('Hello', Date.UTC(2026, 0, 31, 12));
    const second = network.server.addPost('Good\nbye');
    expect(await list(network)).toEqual({
      isComplete: true,
      choices: [
        expect.objectContaining({ id: second, name: 'Good\nbye' }),
        {
          id: first,
          name: 'Hello',
          description: 'Published at 2026-01-31T12:00:00+0000.',
          url: expect.stringMatching(/^https:\/\/www\.threads\.com\/@ada\/post\//) as string,
          imageUrl: null,
          parentId: null,
          disabledReason: null,
        },
      ],
    });
  });

  test('have IDs that a post can quote', async () => {
    await using network = await startThreads();
    network.server.addPost('Hello');
    const { choices } = await list(network);
    const platformOptions = { quote_post_id: choices[0]!.id };
    await network.publish(network.target({ platformOptions }));
    expect(network.server.listPosts()[1]).toMatchObject({ options: platformOptions });
  });

  test('are read to the end, a hundred at a time', async () => {
    await using network = await startThreads();
    for (let i = 0; i < 150; i++) network.server.addPost(`Post ${i}`);
    network.server.calls.length = 0;
    const { choices, isComplete } = await list(network);
    expect([choices.length, isComplete]).toEqual([150, true]);
    expect(network.server.calls).toEqual(Array(3).fill('GET /v1.0/me/threads'));
  });
});

test('an ended login is reported', async () => {
  await using network = await startThreads();
  network.server.revokeToken();
  expect(await refusal(list(network))).toMatchObject({ kind: 'reauthorize' });
});
