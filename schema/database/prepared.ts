// Statements that Postgres plans once for each connection, instead of at every call.
import { sql, type RawBuilder } from 'kysely';
import type { Client, QueryConfig } from 'pg';
import { TimedClient, type TimedClientConfig } from './timed-client.ts';

const marker = /^\s*(?:select )?\/\* prepared: (\w+) \*\//;

/**
 * Begins a statement that is kept by this name. All statements of the name must have the same text. Kysely
 * passes nothing but the text to the connection, so the name goes along as a comment.
 */
export const prepared = (name: string): RawBuilder<unknown> => sql.raw(`/* prepared: ${name} */`);

/** Undefined: the statement is planned at every call. */
export const preparedNameOf = (text: string): string | undefined => marker.exec(text)?.[1];

type Query = (text: unknown, values?: unknown, callback?: unknown) => unknown;

/** Names the statements that begin with `prepared`. */
export class PreparingClient extends TimedClient {
  constructor(config?: TimedClientConfig) {
    super(config);
    const query = this.query as Query;
    this.query = ((text: unknown, values?: unknown, callback?: unknown): unknown => {
      const name = typeof text === 'string' ? preparedNameOf(text) : undefined;
      if (name === undefined) return query(text, values, callback);
      const named: QueryConfig = { name, text: text as string, values: values as unknown[] };
      return query(named, callback);
    }) as Client['query'];
  }
}
