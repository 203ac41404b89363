// Counts what Postgres is asked by everything in this process, so that a test may say how much that is.
import { Client } from 'pg';
import { vi } from 'vitest';

/** Sent by the engine and the live feed on their own, and by each new connection. */
const ofTheBackground =
  /\b(changes|feed_epoch|sweeps|outbox|sending_pauses|set_config)\b|^(listen|select 1)\b|^$/i;

/** The statements that are sent while `work` runs, except those that `ignored` matches. */
export async function statementsOf(
  work: () => Promise<unknown>,
  ignored = ofTheBackground,
): Promise<string[]> {
  const statements: string[] = [];
  const query = Client.prototype.query;
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: Client,
    ...given: unknown[]
  ) {
    const [asked] = given as [string | { text: string }];
    const text = typeof asked === 'string' ? asked : asked.text;
    if (!ignored.test(text)) statements.push(text);
    return Reflect.apply(query, this, given) as never;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return statements;
}
