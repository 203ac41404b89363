// The operator's list of allowed address ranges.
import { describe, expect, test } from 'vitest';
import { parseCidrs } from '../../../schema/config/cidrs.ts';

describe('parseCidrs', () => {
  test('splits ranges at commas and spaces', () => {
    expect(parseCidrs('127.0.0.0/8, ::1/128  fd00::/8')).toEqual({
      cidrs: ['127.0.0.0/8', '::1/128', 'fd00::/8'],
      issues: [],
    });
    expect(parseCidrs('')).toEqual({ cidrs: [], issues: [] });
  });

  test('lists every issue', () => {
    const { cidrs, issues } = parseCidrs(
      '10.0.0.0/8 foo 10.0.0.0/33 1/8 010.0.0.0/8 ::1 ::1/129 /8',
    );
    expect(cidrs).toEqual(['10.0.0.0/8']);
    expect(issues).toHaveLength(7);
    expect(issues[0]).toContain('"foo"');
  });
});
