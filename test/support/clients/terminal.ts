// The terminal of a command that a test runs in its own process.
import type { Terminal } from '../../../api/cli/output/terminal.ts';

/** Drops what it is given, unless the test takes it. */
export const terminalOf = (given: Partial<Terminal> = {}): Terminal => ({
  print: () => undefined,
  note: () => undefined,
  ask: undefined,
  isScreen: false,
  signal: new AbortController().signal,
  ...given,
});
