// A moment that has passed, by the clock of Postgres.
import { sql } from 'kysely';

export const ago = (ms: number) => sql<Date>`now() - ${ms} * interval '1 ms'`;
