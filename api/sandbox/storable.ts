// Text as Postgres can keep it: no lone surrogates, no NUL.
import { z } from 'zod';

export const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

export const Storable = z.string().refine(isStorable, 'has characters that are none');
