// Which command takes which options.
import { expect, test } from 'vitest';
import { readArguments } from '../../../api/cli/arguments.ts';
import { findCommand } from '../../../api/cli/options.ts';

test.each([
  ['post', { test: true }, '`post` takes no --test.'],
  ['verify', { limit: '5' }, '`verify` takes no --limit.'],
  ['verify --secret', { publish: true }, '`verify --secret` takes no --publish.'],
  ['projects erase', { name: 'Brass' }, '`projects erase` takes no --name.'],
  ['start', { url: 'http://127.0.0.1' }, '`start` takes no --url.'],
] as const)('%s refuses %j', (command, given, message) => {
  expect(() => findCommand(command, { json: true, yes: false, ...given })).toThrow(message);
});

test('an option that is not given is not refused', () => {
  findCommand('listen', { test: true, secret: 'whsec_x', report: undefined, yes: false });
});

test.each([
  ['', 'Specify a command.'],
  ['pots', 'There is no command `pots`.'],
  ['toString', 'There is no command `toString`.'],
  ['keys', 'There is no command `keys`. There is `keys create`, `keys rotate`.'],
])('the command %j is not known', (name, message) => {
  expect(() => findCommand(name, {})).toThrow(message);
});

test('a second argument is refused, such as an account after a forgotten comma', () => {
  const words = ['post', 'x', '--to', '@ada', '@bob', '--yes'];
  expect(() => readArguments(words)).toThrow('`post` takes one argument, but got @bob too.');
  expect(readArguments(['post', 'x y', '--to', '@ada,@bob']).argument).toBe('x y');
});

test('verify checks a message if it is given what only a message needs', () => {
  const nameOf = (...args: string[]) => readArguments(['verify', 'x', ...args]).name;
  expect(nameOf('--secret', 'whsec_x')).toBe('verify --secret');
  expect(nameOf('--header', 'webhook-id: evt_1')).toBe('verify --secret');
  expect(nameOf('--publish')).toBe('verify');
});
