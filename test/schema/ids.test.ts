// Ids: their form, and that they sort by creation.
import { describe, expect, test } from 'vitest';
import {
  firstIdAt,
  idAt,
  idPrefixes,
  newId,
  timeOfId,
  type IdKind,
} from '../../schema/wire/ids.ts';

describe('newId', () => {
  test('names its resource and has 26 characters of base32', () => {
    for (const kind of Object.keys(idPrefixes) as IdKind[]) {
      expect(newId(kind)).toMatch(new RegExp(`^${idPrefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
    }
  });

  test('gives every kind a prefix of its own', () => {
    const prefixes = Object.values(idPrefixes);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  test('makes 20,000 different ids that sort as they were made', () => {
    const ids = Array.from({ length: 20_000 }, () => newId('event'));
    expect(new Set(ids).size).toBe(ids.length);
    // A string compare is what Postgres does in collation "C".
    expect(ids.findIndex((id, i) => i > 0 && id <= ids[i - 1]!)).toBe(-1);
  });

  test('carries the time and the version of a UUIDv7', () => {
    const before = Date.now();
    const uuid = toHex(newId('post').split('_')[1]!);
    expect(uuid[12]).toBe('7');
    expect('89ab').toContain(uuid[16]);
    const ms = Number.parseInt(uuid.slice(0, 12), 16);
    // A process that made thousands of ids in one millisecond runs a little ahead of the clock.
    expect(ms).toBeGreaterThanOrEqual(before);
    expect(ms).toBeLessThan(before + 1_000);
  });
});

describe('timeOfId', () => {
  test('returns the time of an ID, to the millisecond', () => {
    for (const at of [
      '1970-01-01T00:00:00.000Z',
      '2026-05-12T08:30:00.123Z',
      '9999-12-31T00:00:00Z',
    ]) {
      expect(timeOfId('event', firstIdAt('event', new Date(at)))).toEqual(new Date(at));
    }
    const before = Date.now() - 1_000;
    const at = timeOfId('delivery', newId('delivery'))!.getTime();
    expect(at).toBeGreaterThan(before);
    expect(at).toBeLessThan(before + 10_000);
  });

  test.each([
    '',
    'evt_',
    'evt_1',
    newId('delivery'),
    newId('event').slice(0, -1),
    `${newId('event')}0`,
    newId('event').toUpperCase(),
    `evt_8${'0'.repeat(25)}`,
    `evt_0${'u'.repeat(25)}`,
    `evt_0${'0'.repeat(24)}\n`,
  ])('returns nothing for %j', (id) => {
    expect(timeOfId('event', id)).toBeUndefined();
  });
});

describe('idAt', () => {
  test('sorts among the ids of its time', () => {
    const at = new Date('2026-05-12T08:30:00.123Z');
    const ids = Array.from({ length: 1_000 }, () => idAt('delivery', at));
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids) {
      expect(timeOfId('delivery', id)).toEqual(at);
      expect(id >= firstIdAt('delivery', at)).toBe(true);
    }
  });
});

function toHex(base32: string): string {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  const value = base32
    .split('')
    .reduce((sum, char) => sum * 32n + BigInt(alphabet.indexOf(char)), 0n);
  return value.toString(16).padStart(32, '0');
}
