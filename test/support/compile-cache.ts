// Programs under test share the code that they have compiled. The processes of vitest don't share theirs,
// because each process would write its own cache at the end.
import { join } from 'node:path';
import { inject } from 'vitest';

process.env['NODE_COMPILE_CACHE'] = join(inject('cacheDirectory'), 'compiled');
