// What the forms of the dashboard make of the issues that the API reports.
import { describe, expect, test } from 'vitest';
import {
  fieldOf,
  issueTexts,
  placeNameOf,
  toFormIssue,
} from '../../../api/dashboard/app/components/issue-text.ts';

describe('an issue', () => {
  test('has the place of its field, without the names of the API', () => {
    const { at } = toFormIssue({ path: 'input.slots[3].time', message: 'must be a time' });
    expect(at).toBe('slots.3.time');
    expect(fieldOf(at, ['name', 'slots', 'slots.3'])).toBe('slots.3');
    expect(fieldOf('slots', ['slots.3'])).toBeUndefined();
    expect(fieldOf('name', ['names'])).toBeUndefined();
  });

  test('continues the label of its field, unless it is a sentence', () => {
    const texts = (message: string, label: string) =>
      issueTexts([{ at: 'labels', message }], () => label);
    expect(texts('must have at most 20 items', 'Labels, separated by commas')).toEqual([
      'Labels must have at most 20 items.',
    ]);
    expect(texts('The picture is too large.', 'Media')).toEqual(['The picture is too large.']);
  });

  test('of several accounts is one text', () => {
    const issue = { at: 'caption', message: 'is too long' };
    const issues = [
      { ...issue, account: 'Sandbox ada' },
      { ...issue, account: 'Sandbox bob' },
      { ...issue, account: 'Sandbox bob' },
    ];
    expect(issueTexts(issues, () => 'Text')).toEqual([
      'Sandbox ada, Sandbox bob: Text is too long.',
    ]);
  });

  test('without a field is named in words', () => {
    expect(placeNameOf({ at: 'connectAccount' })).toBe('Connect account');
    expect(placeNameOf({ at: 'returnOrigins.0' })).toBe('Return origins');
  });
});
