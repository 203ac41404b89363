// The choices of an account at Pinterest: its boards, and their sections.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { listChoices } from '../../../support/networks/connection.ts';
import { startPinterest } from '../../../support/networks/pinterest/connected.ts';
import { boardId, sectionId } from '../../../support/networks/pinterest/server.ts';

type Network = Awaited<ReturnType<typeof startPinterest>>;

const list = ({ pinterest, connection }: Network, kind: 'boards' | 'board_sections') =>
  listChoices(pinterest, connection, kind);

function addBoards({ server }: Network, count: number): void {
  for (let i = 1; i <= count; i++) {
    const sections = [{ id: `${i}00`, name: `Section ${i}` }];
    server.boards.push({ id: String(i), name: `Board ${i}`, sections });
  }
}

describe('boards', () => {
  test('are listed with their name, description and picture', async () => {
    await using network = await startPinterest();
    const image_cover_url = 'https://i.pinimg.com/400x300/fd/cd/d5/a.jpg';
    network.server.boards.push(
      {
        id: '1',
        name: 'Plans',
        description: 'Not yet public.',
        privacy: 'SECRET',
        media: { image_cover_url },
        sections: [],
      },
      { id: '2', name: 'Ad-only Pins', is_ads_only: true, description: null, sections: [] },
    );
    const none = { description: null, url: null, imageUrl: null, parentId: null };
    expect(await list(network, 'boards')).toEqual({
      isComplete: true,
      choices: [
        { ...none, id: boardId, name: 'Brass bands', disabledReason: null },
        {
          ...none,
          id: '1',
          name: 'Plans',
          description: 'Secret board. Not yet public.',
          imageUrl: image_cover_url,
          disabledReason: null,
        },
        {
          ...none,
          id: '2',
          name: 'Ad-only Pins',
          disabledReason: 'The board takes only pins of ads.',
        },
      ],
    });
  });

  test('are read to the end, 250 at a time', async () => {
    await using network = await startPinterest();
    addBoards(network, 300);
    const { choices, isComplete } = await list(network, 'boards');
    expect([choices.length, isComplete]).toEqual([301, true]);
    expect(network.server.calls).toEqual(Array(2).fill('GET /v5/boards'));
  });
});

describe('sections', () => {
  test('are below their boards', async () => {
    await using network = await startPinterest();
    addBoards(network, 30);
    const { choices, isComplete } = await list(network, 'board_sections');
    expect([choices.length, isComplete]).toEqual([31, true]);
    expect(choices[0]).toMatchObject({ id: sectionId, name: 'Tubas', parentId: boardId });
    expect(choices.at(-1)).toMatchObject({ id: '3000', name: 'Section 30', parentId: '30' });
  });

  test('are read to the end', async () => {
    await using network = await startPinterest();
    const { sections } = network.server.boards[0]!;
    for (let i = 1; i <= 300; i++) sections.push({ id: String(i), name: `Section ${i}` });
    expect((await list(network, 'board_sections')).choices).toHaveLength(301);
  });

  test('are left out if their board is deleted in the meantime', async () => {
    await using network = await startPinterest();
    addBoards(network, 1);
    const { boards } = network.server;
    const listed = boards.map(({ id, name }) => ({ id, name }));
    network.server.answers.push(Response.json({ items: listed, bookmark: null }));
    boards.shift();
    const { choices } = await list(network, 'board_sections');
    expect(choices.map(({ id }) => id)).toEqual(['100']);
  });
});

test('an ended login is reported', async () => {
  await using network = await startPinterest();
  network.server.revokeToken();
  expect(await refusal(list(network, 'boards'))).toMatchObject({ kind: 'reauthorize' });
});
