// Statements that Postgres plans once for each connection, instead of at every call.
import type { CompiledQuery } from 'kysely';
import type { QueryConfig } from 'pg';
import type { Channel } from './notifier.ts';
import type { Transaction, Writer } from './tables.ts';

type Executor = Pick<Transaction, 'getExecutor'>;

interface Statement<Row> {
  compile(db: Executor): CompiledQuery<Row>;
}

/** Each connection keeps the statement by its name. All statements of a name must have the same text. */
export function executePrepared<Row>(
  db: Executor,
  name: string,
  statement: Statement<Row>,
): Promise<Row[]> {
  return execute(db, name, statement.compile(db));
}

async function execute<Row>(
  db: Executor,
  name: string,
  compiled: CompiledQuery<Row>,
): Promise<Row[]> {
  // pg takes a named statement in place of a text, and Kysely passes it on. Kysely's types allow only a text.
  const named = { name, text: compiled.sql } satisfies QueryConfig as unknown as string;
  const { rows } = await db.getExecutor().executeQuery<Row>({ ...compiled, sql: named });
  return rows;
}

/**
 * A statement of one text, which is compiled once in this process too. `build` must pass the members of
 * `given` on as parameters, because it gets placeholders instead of their values.
 */
export function prepare<Given extends object, Row>(
  name: string,
  build: (given: Given) => Statement<Row>,
): (db: Executor, given: Given) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | undefined;
  return (db, given) => {
    compiled ??= build(placeholders as Given).compile(db);
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? given[parameter.member as keyof Given] : parameter,
    );
    return execute(db, name, { ...compiled, parameters });
  };
}

/** `prepare` for a statement that notifies other processes. `build` names the channels to `writer`. */
export function prepareWrite<Given extends object, Row>(
  name: string,
  build: (given: Given, writer: Pick<Writer, 'notifyAfterCommit'>) => Statement<Row>,
): (writer: Writer, given: Given) => Promise<Row[]> {
  const channels = new Set<Channel>();
  const notifyAfterCommit = (channel: Channel) => void channels.add(channel);
  const run = prepare<Given, Row>(name, (given) => build(given, { notifyAfterCommit }));
  return async (writer, given) => {
    const rows = await run(writer, given);
    channels.forEach((channel) => writer.notifyAfterCommit(channel));
    return rows;
  };
}

class Placeholder {
  readonly member: PropertyKey;

  constructor(member: PropertyKey) {
    this.member = member;
  }
}

const placeholders = new Proxy({}, { get: (_, member) => new Placeholder(member) });
