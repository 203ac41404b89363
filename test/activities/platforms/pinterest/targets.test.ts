// How the engine ends a target whose board is gone, and a check of an account without a board.
import { describe, expect, test } from 'vitest';
import { toKind } from '../../../support/networks/contract/kind.ts';
import { createPinterestServer } from '../../../support/networks/pinterest/server.ts';
import { pinterest, startNetwork } from '../../../support/networks/pinterest/subject.ts';
import {
  advanceToEnd,
  dependenciesOf,
  listTargets,
  writePost,
} from '../../../support/networks/posting.ts';
import {
  addCheck,
  checkDependencies,
  takeToEnd,
} from '../../../support/account-checks/run-check.ts';
import { useDatabase } from '../../../support/rows/database.ts';

const database = useDatabase();

function startWith(server: ReturnType<typeof createPinterestServer>) {
  const subject = { ...pinterest, start: startOf };
  return toKind(subject).start(database.db);
  function startOf(switchboard: Parameters<typeof startNetwork>[0]) {
    return startNetwork(switchboard, server);
  }
}

describe('a target', () => {
  test.each([
    ['board', 'platform_options.board_id', 40],
    ['section', 'platform_options.board_section_id', 2031],
  ])('whose %s was deleted since fails at once, and names %s', async (what, path, code) => {
    const { db } = database;
    const server = createPinterestServer();
    await using network = await startWith(server);
    const board_section_id = server.boards[0]!.sections[0]!.id;
    const options = { ...network.options, ...(what === 'section' && { board_section_id }) };
    const post = await writePost(db, { ...network, options });
    if (what === 'board') server.boards.length = 0;
    else server.boards[0]!.sections.length = 0;
    server.calls.length = 0;
    await advanceToEnd(dependenciesOf(db, network), post.resultIds[0]!);
    const [row] = await listTargets(db, post);
    expect(row).toMatchObject({
      status: 'failed',
      error_code: 'choice_gone',
      platform_error_code: String(code),
      error_message: expect.stringContaining(`Choose another ${what} in ${path}.`) as string,
      provider_error: { status: 404, path },
    });
    expect(server.calls).toEqual(['POST /v5/pins']);
    expect(server.pins).toEqual([]);
  });
});

describe('a check that publishes', () => {
  /** Returns the steps that did not pass. */
  async function check(access: 'standard' | 'trial', hasBoard: boolean) {
    const { db } = database;
    const server = createPinterestServer();
    server.access = access;
    await using network = await startWith(server);
    const { options: _, ...without } = network;
    const checked = hasBoard ? network : without;
    const { checkId } = await addCheck(db, checked, { publishes: true });
    const urls = { urlOf: () => 'https://media.example/check.jpg' };
    const { steps } = await takeToEnd(checkDependencies(db, checked, urls), checkId);
    return steps.filter(({ status }) => status === 'failed');
  }

  test('finds that the app has only Trial access', async () => {
    expect(await check('trial', true)).toMatchObject([{ name: 'app', code: 'app_not_approved' }]);
  });

  test('needs a default board', async () => {
    expect(await check('standard', false)).toMatchObject([
      {
        name: 'publication',
        code: 'rejected',
        message: 'Choose the board in platform_options.board_id, or set a default of the account.',
      },
    ]);
  });
});
