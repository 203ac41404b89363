// Lists of choices as they are stored: without what can't be stored or chosen, and bounded.
import { describe, expect, test } from 'vitest';
import { readAllChoices } from '../../../activities/platforms/choices.ts';
import type { Choice, ReadChoices } from '../../../activities/platforms/platform.ts';
import { platformDefinitions } from '../../../schema/platforms/index.ts';
import { connectPlatforms } from '../../../activities/platforms/index.ts';
import { toJsonSchema } from '../../../api/platforms/operations.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { txtOf } from '../../support/servers/bluesky-identity.ts';

const account = { credentials: {}, app: null, externalAccountId: 'a', traits: {} };
const read = (readPage: ReadChoices) =>
  readAllChoices(readPage, account, AbortSignal.timeout(1_000));
const readOne = async (choice: Choice) => {
  const { choices } = await read(async () => ({ choices: [choice], next: undefined }));
  return choices;
};

describe('a choice', () => {
  test('has nulls if the network gives only an ID and a name', async () => {
    expect(await readOne({ id: '1', name: 'News' })).toEqual([
      {
        id: '1',
        name: 'News',
        description: null,
        url: null,
        imageUrl: null,
        parentId: null,
        disabledReason: null,
      },
    ]);
  });

  test('is shortened, and loses a URL that is no web link', async () => {
    const [choice] = await readOne({
      id: '1',
      name: 'n'.repeat(501),
      description: `d\0${'d'.repeat(1_000)}`,
      url: 'javascript:alert(1)',
      imageUrl: 'https://network.test/a.png',
    });
    expect(choice).toMatchObject({
      name: 'n'.repeat(500),
      description: 'd'.repeat(1_000),
      url: null,
      imageUrl: 'https://network.test/a.png',
    });
  });

  test.each(['', 'i'.repeat(1_001)])('is left out if no option accepts its ID', async (id) => {
    expect(await readOne({ id, name: 'News' })).toEqual([]);
  });
});

describe('a list', () => {
  test('has the choices of all pages, and the first choice of each ID', async () => {
    const pages = [
      { choices: [{ id: '1', name: 'first' }], next: 'b' },
      {
        choices: [
          { id: '1', name: 'again' },
          { id: '2', name: 'second' },
        ],
        next: undefined,
      },
    ];
    const asked: unknown[] = [];
    const { choices, isComplete } = await read(async (_, cursor) => {
      asked.push(cursor);
      return pages[asked.length - 1]!;
    });
    expect(asked).toEqual([undefined, 'b']);
    expect(choices.map(({ name }) => name)).toEqual(['first', 'second']);
    expect(isComplete).toBe(true);
  });

  test('is cut if it never ends', async () => {
    let pages = 0;
    const list = await read(async () => ({
      choices: [{ id: String(++pages), name: 'a' }],
      next: 'b',
    }));
    expect([list.choices.length, list.isComplete]).toEqual([20, false]);
  });

  test('that is too long is cut, also on its last page', async () => {
    const choices = Array.from({ length: 2_001 }, (_, i) => ({ id: String(i), name: 'a' }));
    const cut = await read(async () => ({ choices, next: undefined }));
    expect([cut.choices.length, cut.isComplete]).toEqual([2_000, false]);
    const whole = await read(async () => ({ choices: choices.slice(1), next: undefined }));
    expect([whole.choices.length, whole.isComplete]).toEqual([2_000, true]);
  });

  test('that has too many characters is cut', async () => {
    const description = 'd'.repeat(1_000);
    const choices = Array.from({ length: 1_500 }, (_, i) => ({
      id: String(i),
      name: 'a',
      description,
    }));
    const list = await read(async () => ({ choices, next: undefined }));
    expect(list.isComplete).toBe(false);
    expect(list.choices.length).toBeGreaterThan(990);
    expect(list.choices.length).toBeLessThan(1_000);
  });
});

describe('the kinds', () => {
  const platforms = connectPlatforms(readConfig({}).platforms, {
    fetch,
    lookUpTxt: txtOf({}),
    withWebSocket: () => Promise.reject(new Error('No network is called.')),
  });

  test.each(platforms)(
    'are those that $definition.name can list',
    ({ definition, choices = {} }) => {
      const kinds = Object.keys(definition.choices ?? {});
      expect(Object.keys(choices).toSorted()).toEqual(kinds.toSorted());
    },
  );

  test.each(platformDefinitions)(
    'are the ones that the options of $name use',
    ({ options, choices }) => {
      const { properties = {} } = toJsonSchema(options) as {
        properties?: Record<string, Record<string, unknown>>;
      };
      const named = Object.values(properties).flatMap((option) => option['x-choices'] ?? []);
      expect(new Set(named)).toEqual(new Set(Object.keys(choices ?? {})));
      expect(Object.keys(choices ?? {}).every((kind) => /^[a-z_]{1,50}$/.test(kind))).toBe(true);
    },
  );
});
