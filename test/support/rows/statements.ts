// Watches the statements that this process sends to Postgres, so that a test can count them or wait for one.
import { Client } from 'pg';
import { vi } from 'vitest';
import type { Db } from '../../../schema/database/tables.ts';

export interface SentStatement {
  /** Empty, unless the statement is prepared. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  isAnswered: boolean;
}

export interface WatchedStatements extends Disposable {
  /** All statements that were sent since the watch began. */
  readonly sent: readonly SentStatement[];
  /** How many of the statements have this text. */
  count(text: RegExp): number;
}

/** Only one watch at a time is possible. */
export function watchStatements(): WatchedStatements {
  const sent: SentStatement[] = [];
  const query = Client.prototype.query;
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: Client,
    ...given: unknown[]
  ) {
    const [asked, values = []] = given as [string | { name?: string; text: string }, unknown[]?];
    const { name = '', text } = typeof asked === 'string' ? { text: asked } : asked;
    const statement = { name, text, values, isAnswered: false };
    sent.push(statement);
    const answer: unknown = Reflect.apply(query, this, given);
    if (answer instanceof Promise) {
      void answer.then(
        () => (statement.isAnswered = true),
        () => undefined,
      );
    }
    return answer as never;
  });
  return {
    sent,
    count: (text) => sent.filter((statement) => text.test(statement.text)).length,
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}

/** Statements that the engine and the live feed send on their own, and that each new connection sends. */
const ofTheBackground =
  /\b(feed_epoch|sweeps|outbox|sending_pauses|set_config)\b|\b(from|into) "?changes\b|^(listen|select 1)\b|^$/i;

/** The statements that are sent while `work` runs, except the statements that `ignored` matches. */
export async function statementsOf(
  work: () => Promise<unknown>,
  ignored = ofTheBackground,
): Promise<string[]> {
  using statements = watchStatements();
  await work();
  return statements.sent.map(({ text }) => text).filter((text) => !ignored.test(text));
}

/** The same database, which counts the answers to statements that are sent through it. */
export function countAnswers(db: Db): { db: Db; count: () => number } {
  let answers = 0;
  return {
    db: db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => {
        answers++;
        return Promise.resolve(result);
      },
    }),
    count: () => answers,
  };
}
