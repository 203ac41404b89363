// Breaking changes of the GraphQL schema, and how `npm run generate` reports them.
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { findChanges } from '../../scripts/schema-changes.ts';

const before = `
  "What was."
  type Query {
    post(id: ID!, first: Int @deprecated, last: Int): Post
    old: Old @deprecated(reason: "Use post.")
  }
  type Post { id: ID! title: String status: Status! url: String @deprecated }
  type Old { id: ID! inner: Inner }
  type Inner { id: ID! }
  enum Status { DRAFT SENT WAITING @deprecated }
  input Unused { id: ID! }
  type Mutation { send(input: Send!): Post }
  input Send { text: String! color: String @deprecated }
`;

const nothing = { breaking: [], dangerous: [], deprecated: [] };

/** The same with one thing exchanged for another. */
function change(from: string, to: string) {
  expect(before).toContain(from);
  return findChanges(before, buildSchema(before.replace(from, to)));
}

describe('findChanges', () => {
  test('finds nothing where nothing has changed', () => {
    expect(findChanges(before, buildSchema(before))).toEqual(nothing);
  });

  test.each([
    ['a field that went', 'title: String', '', 'Field Post.title was removed.'],
    ['an argument that went', ', last: Int', '', 'Query.post(last:) was removed'],
    ['a value that went', 'DRAFT SENT', 'SENT', 'Enum value Status.DRAFT was removed.'],
    ['an input field that went', 'text: String!', 'words: String', 'Field Send.text was removed.'],
    ['a field of another type', 'title: String', 'title: Int', 'from String to Int'],
    ['a field that may be null now', 'status: Status!', 'status: Status', 'to Status.'],
    ['a new field that is required', 'text: String!', 'text: String! to: ID!', 'Send.to was added'],
    ['a new argument that is required', 'last: Int', 'last: Int, to: ID!', 'Query.post(to:)'],
  ])('names %s', (_, from, to, message) => {
    const { breaking } = change(from, to);
    expect(breaking).toHaveLength(1);
    expect(breaking[0]).toContain(message);
  });

  test.each([
    ['a new field', 'title: String', 'title: String subtitle: String'],
    ['a field that is never null now', 'title: String', 'title: String!'],
    ['another description', 'What was.', 'What is.'],
    ['an input field that is optional now', 'text: String!', 'text: String'],
  ])('lets %s pass', (_, from, to) => {
    expect(change(from, to)).toEqual(nothing);
  });

  test.each([
    ['field', 'url: String @deprecated', ''],
    ['argument', 'first: Int @deprecated, ', ''],
    ['value', 'WAITING @deprecated', ''],
    ['input field', 'color: String @deprecated', ''],
  ])('lets a deprecated %s go', (_, from, to) => {
    expect(change(from, to)).toEqual(nothing);
  });

  test('lets types go if only a deprecated field led to them', () => {
    const after = before
      .replace(/old: Old.*/, '')
      .replace(/type Old .*/, '')
      .replace(/type Inner .*/, '');
    expect(findChanges(before, buildSchema(after)).breaking).toEqual([]);
  });

  test('does not let a deprecated field become something else', () => {
    const { breaking } = change('url: String @deprecated', 'url: Int');
    expect(breaking).toEqual(['Field Post.url changed type from String to Int.']);
  });

  test('lists dangerous changes', () => {
    const dangerous = ['Enum value Status.LOST was added.'];
    expect(change('DRAFT SENT', 'DRAFT SENT LOST')).toEqual({ ...nothing, dangerous });
  });

  test.each([
    ['field', 'title: String', 'Post.title'],
    ['argument', 'last: Int', 'Query.post(last:)'],
    ['value', 'DRAFT', 'Status.DRAFT'],
    ['input field', 'text: String!', 'Send.text'],
  ])('lists a newly deprecated %s', (_, member, coordinate) => {
    const { breaking, deprecated } = change(member, `${member.replace('!', '')} @deprecated`);
    expect({ breaking, deprecated }).toEqual({ breaking: [], deprecated: [coordinate] });
  });
});
