// A program under test need not compile what another one has compiled. The processes of vitest get no such cache,
// because each would write its own at the end.
import { join } from 'node:path';
import { inject } from 'vitest';

process.env['NODE_COMPILE_CACHE'] = join(inject('cacheDirectory'), 'compiled');
