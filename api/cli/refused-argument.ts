// What a command answers to an argument that it can't take; the message says what it takes.

export class RefusedArgument extends Error {
  override readonly name = 'RefusedArgument';
}
