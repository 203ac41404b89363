// Kills the process that preloads it (`node --import`) at the statement that `DIES_AT` names.
import { Client, type QueryResult } from 'pg';

export interface DyingStep {
  /** Name of the prepared statement. */
  statement: string;
  /** Before Postgres gets the statement, or when the process has its answer. */
  moment: 'before' | 'after';
  /** How much later the process dies. Default: at once. */
  laterMs?: number;
}

/** The environment of a program that dies at this step. */
export const diesAt = (step: DyingStep): Record<string, string> => ({
  NODE_OPTIONS: `--import ${import.meta.url}`,
  DIES_AT: JSON.stringify(step),
});

const given = process.env['DIES_AT'];
if (given !== undefined) {
  const { statement, moment, laterMs = 0 } = JSON.parse(given) as DyingStep;
  const query = Client.prototype.query as (...args: unknown[]) => unknown;
  const kill = () => process.kill(process.pid, 'SIGKILL');
  const die = () => (laterMs > 0 ? setTimeout(kill, laterMs) : kill());
  Client.prototype.query = function (this: Client, ...args: unknown[]): unknown {
    const [asked] = args as [string | { name?: string }];
    if (typeof asked === 'string' || asked.name !== statement) return query.apply(this, args);
    if (moment === 'before') die();
    const result = query.apply(this, args) as Promise<QueryResult>;
    const hasFound = ({ rows }: QueryResult) => !statement.startsWith('claim') || rows.length > 0;
    return result.then((answer) => {
      if (moment === 'after' && hasFound(answer)) die();
      return answer;
    });
  } as Client['query'];
}
