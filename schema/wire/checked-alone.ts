// Parts of a request that pass unchecked, because each is checked and refused on its own.
import { z } from 'zod';

export const checkedAlone = z.registry();
