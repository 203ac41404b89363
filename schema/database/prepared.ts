// A connection that lets Postgres plan a marked statement once instead of at every call.
import { Client, type QueryConfig } from 'pg';

const marker = /^\s*(?:select )?\/\* prepared: (\w+) \*\//;

type Query = (text: unknown, values?: unknown, callback?: unknown) => unknown;

/** A statement with a marker in front, `prepared: <name>` in comment signs, is kept by that name. */
export class PreparingClient extends Client {
  override query = ((text: unknown, values?: unknown, callback?: unknown): unknown => {
    const name = typeof text === 'string' ? marker.exec(text)?.[1] : undefined;
    const query = super.query.bind(this) as Query;
    if (name === undefined) return query(text, values, callback);
    const config: QueryConfig = { name, text: text as string, values: values as unknown[] };
    return query(config, callback);
  }) as Client['query'];
}
