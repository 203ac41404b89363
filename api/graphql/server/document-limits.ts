// How much a GraphQL document may ask for, refused before any of its fields is run.
import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  getOperationAST,
  GraphQLError,
  NoFragmentCyclesRule,
  parse,
  validate,
  visit,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type Source,
  type ValidationOptions,
  type ValidationRule,
} from 'graphql';
import { type AppError, validationError } from '../../../schema/wire/errors.ts';

export const documentLimits = {
  characters: 100_000,
  /** More than GraphiQL's introspection and any document by hand; checking takes longer than linear. */
  tokens: 2_000,
  /** Under whatever alias: a field counts each time it is selected. */
  fields: 300,
  directives: 100,
  levels: 10,
  /** As the fields' `complexity` says. */
  points: 5_000,
  /** Of a subscription, which costs as much again with every message. */
  pointsOfMessage: 500,
} as const;

type Limit = Exclude<keyof typeof documentLimits, 'pointsOfMessage'>;

const codes = {
  characters: 'too_long',
  tokens: 'too_many_tokens',
  fields: 'too_many_fields',
  directives: 'too_many_directives',
  levels: 'too_deep',
  points: 'too_complex',
} as const satisfies Record<Limit, string>;

function refuse(what: Limit, actual?: number, limit: number = documentLimits[what]): AppError {
  const has = actual === undefined ? '' : `has ${actual} ${what}; `;
  const message = `${has}at most ${limit} ${what} are answered`;
  const issue = { path: 'query', code: codes[what], message, limit };
  return validationError([actual === undefined ? issue : { ...issue, actual }]);
}

/** Counted before it is read at all. */
export function requireLength(document: string): void {
  if (document.length > documentLimits.characters) throw refuse('characters', document.length);
}

export function parseWithin(source: string | Source, options: object): DocumentNode {
  const document = parseTokens(source, options);
  let [fields, directives] = [0, 0];
  visit(document, {
    Field: () => void fields++,
    Directive: () => void directives++,
  });
  if (fields > documentLimits.fields) throw refuse('fields', fields);
  if (directives > documentLimits.directives) throw refuse('directives', directives);
  return document;
}

function parseTokens(source: string | Source, options: object): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: documentLimits.tokens });
  } catch (error) {
    const isTooMany = error instanceof GraphQLError && / tokens\. /.test(error.message);
    // Brackets in brackets, until the stack was full.
    throw isTooMany || error instanceof RangeError ? refuse('tokens') : error;
  }
}

/** Circles first: the rules after it would run through them until the stack is full. */
export function validateWithin(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[] | undefined,
  options: ValidationOptions,
): readonly GraphQLError[] {
  const circles = validate(schema, document, [NoFragmentCyclesRule], options);
  return circles.length > 0 ? circles : validate(schema, document, rules, options);
}

/** What would be run, with fragments unfolded; undefined: it is within the limits. */
export function findExcess(
  args: Pick<ExecutionArgs, 'schema' | 'document' | 'operationName' | 'variableValues'>,
  context: object,
): AppError | undefined {
  const { schema, document } = args;
  const operation = getOperationAST(document, args.operationName);
  // Execution refuses the same.
  if (!operation) return undefined;
  const definitions = document.definitions.filter(
    (definition) => definition.kind !== 'OperationDefinition' || definition === operation,
  );
  const fields = countFields(operation, document);
  if (fields > documentLimits.fields) return refuse('fields', fields);
  try {
    const { depth, complexity } = complexityFromQuery(
      { ...document, definitions },
      { schema, variables: args.variableValues ?? {}, ctx: context },
    );
    if (depth > documentLimits.levels) return refuse('levels', depth);
    const { points, pointsOfMessage } = documentLimits;
    const mostPoints = operation.operation === 'subscription' ? pointsOfMessage : points;
    if (complexity > mostPoints) return refuse('points', complexity, mostPoints);
    return undefined;
  } catch (error) {
    // Variables that are not of their types: execution tells of all of them.
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

/** With fragments unfolded. Those of introspection have no cost of their own, so it is they that count. */
function countFields(operation: OperationDefinitionNode, document: DocumentNode): number {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === 'FragmentDefinition' ? [[definition.name.value, definition]] : [],
    ),
  );
  const counts = new Map<string, number>();

  function countIn({ selections }: SelectionSetNode): number {
    return selections.reduce((sum, selection) => {
      if (selection.kind === 'FragmentSpread') return sum + countOf(selection.name.value);
      const inner = selection.selectionSet ? countIn(selection.selectionSet) : 0;
      return sum + inner + (selection.kind === 'Field' ? 1 : 0);
    }, 0);
  }

  function countOf(name: string): number {
    const fragment = fragments.get(name);
    const count = counts.get(name) ?? (fragment ? countIn(fragment.selectionSet) : 0);
    counts.set(name, count);
    return count;
  }

  return countIn(operation.selectionSet);
}

/** The operation that a request means must be told from the others of its document. */
export function requireOperation(document: DocumentNode, operationName: unknown): void {
  const isNamed = typeof operationName === 'string';
  if (!isNamed && operationName !== undefined && operationName !== null) {
    throw refuseName('invalid_type', 'must be a string');
  }
  if (getOperationAST(document, isNamed ? operationName : null)) return;
  throw isNamed
    ? refuseName('unknown_operation', 'names no operation of the document')
    : refuseName('required', 'is required: the document does not have exactly one operation');
}

function refuseName(code: string, message: string): AppError {
  return validationError([{ path: 'operationName', code, message }]);
}
