// The folder of programs that tests download or build once, for every checkout and every later run.
import { homedir } from 'node:os';
import { join } from 'node:path';

export const cacheDirectory =
  process.env['FANFARE_TEST_CACHE'] || join(homedir(), '.cache', 'fanfare');
