// Parts that the check of the whole request leaves out, since each is checked and refused on its own.
import { z } from 'zod';

export const checkedAlone = z.registry();
