// Parts of a request that are let through as they came, since each is checked and refused by itself.
import { z } from 'zod';

export const checkedAlone = z.registry();
