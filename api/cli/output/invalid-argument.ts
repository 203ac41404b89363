// The error for an argument that a command can't use. The process exits with 2.

export class InvalidArgument extends Error {
  override readonly name = 'InvalidArgument';
}

export const seeHelp = '`--help` lists all commands, options and variables.';
