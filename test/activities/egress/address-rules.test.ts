// The operator's list of address ranges that the guard lets through.
import { describe, expect, test } from 'vitest';
import { parseCidrs } from '../../../schema/config/cidrs.ts';

describe('parseCidrs', () => {
  test('reads ranges apart at commas and spaces', () => {
    expect(parseCidrs('127.0.0.0/8, ::1/128  fd00::/8')).toEqual({
      cidrs: ['127.0.0.0/8', '::1/128', 'fd00::/8'],
      faults: [],
    });
    expect(parseCidrs('')).toEqual({ cidrs: [], faults: [] });
  });

  test('lists every fault', () => {
    const { cidrs, faults } = parseCidrs(
      '10.0.0.0/8 foo 10.0.0.0/33 1/8 010.0.0.0/8 ::1 ::1/129 /8',
    );
    expect(cidrs).toEqual(['10.0.0.0/8']);
    expect(faults).toHaveLength(7);
    expect(faults[0]).toContain('"foo"');
  });
});
