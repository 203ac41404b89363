// A connection that lets Postgres plan a marked statement once instead of at every call.
import type { Client, QueryConfig } from 'pg';
import { TimedClient, type TimedClientConfig } from './timed-client.ts';

const marker = /^\s*(?:select )?\/\* prepared: (\w+) \*\//;

type Query = (text: unknown, values?: unknown, callback?: unknown) => unknown;

/** A statement that starts with the comment `prepared: <name>` becomes a prepared statement of that name. */
export class PreparingClient extends TimedClient {
  constructor(config?: TimedClientConfig) {
    super(config);
    const query = this.query as Query;
    this.query = ((text: unknown, values?: unknown, callback?: unknown): unknown => {
      const name = typeof text === 'string' ? marker.exec(text)?.[1] : undefined;
      if (name === undefined) return query(text, values, callback);
      const prepared: QueryConfig = { name, text: text as string, values: values as unknown[] };
      return query(prepared, callback);
    }) as Client['query'];
  }
}
