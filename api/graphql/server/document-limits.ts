// Yoga plugin: refuses documents that ask for too much, and introspection where it is off.
import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  getOperationAST,
  GraphQLError,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  NoUndefinedVariablesRule,
  parse,
  validate,
  ValuesOfCorrectTypeRule,
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
import type { Plugin } from 'graphql-yoga';
import type { Config } from '../../../schema/config/config.ts';
import { type AppError, validationError } from '../../../schema/wire/errors.ts';
import { toGraphqlError } from '../errors.ts';
import { findVariableIssues, InputValuesRule } from './input-issues.ts';

/** How many of each a document may have, and the code of its refusal. */
const limits = {
  characters: { max: 100_000, code: 'too_long' },
  /**
   * More than GraphiQL's introspection and any handwritten document have. The time of a check grows faster
   * than the number of tokens.
   */
  tokens: { max: 2_000, code: 'too_many_tokens' },
  /** A field counts each time it is selected, under any alias. */
  fields: { max: 300, code: 'too_many_fields' },
  directives: { max: 100, code: 'too_many_directives' },
  /** `__schema` and `__type`, which cost no points. GraphiQL and code generators send one or two. */
  introspections: { max: 4, code: 'too_many_introspections' },
  levels: { max: 10, code: 'too_deep' },
  /** The sum of the fields' `complexity`. */
  points: { max: 5_000, code: 'too_complex' },
} as const;
/** Limit for a subscription, whose points are spent with every message. */
const maxPointsOfMessage = 500;

function refuse(
  what: keyof typeof limits,
  actual?: number,
  limit: number = limits[what].max,
): AppError {
  const has = actual === undefined ? '' : ` and has ${actual}`;
  const message = `must have at most ${limit} ${what}${has}`;
  const issue = { path: ['query'], code: limits[what].code, message, limit };
  return validationError([actual === undefined ? issue : { ...issue, actual }]);
}

interface Hook {
  args: ExecutionArgs;
  setResultAndStopExecution(this: void, result: { errors: Error[] }): void;
}

/** Part of the context that Yoga adds to a request over HTTP. */
interface HttpContext {
  params?: { operationName?: unknown };
}

export function useDocumentLimits({ hasIntrospection }: Pick<Config, 'hasIntrospection'>): Plugin {
  function stopRefused({ args, setResultAndStopExecution }: Hook): void {
    const refusals = findRefusals(args, args.contextValue as object);
    if (refusals.length > 0) setResultAndStopExecution({ errors: refusals.map(toGraphqlError) });
  }
  return {
    onParse({ setParseFn }) {
      setParseFn(parseWithin);
      return ({ result, context }) => {
        const { params } = context as HttpContext;
        if (params && !(result instanceof Error)) requireOperation(result, params.operationName);
      };
    },
    onValidate({ setValidationFn, addValidationRule }) {
      setValidationFn((schema: GraphQLSchema, document: DocumentNode, rules: ValidationRule[]) =>
        validateWithin(schema, document, rules, { hideSuggestions: !hasIntrospection }),
      );
      if (!hasIntrospection) addValidationRule(NoSchemaIntrospectionCustomRule);
    },
    onExecute: stopRefused,
    onSubscribe: stopRefused,
  };
}

/** Runs before the document is parsed. */
export function requireLength(document: string): void {
  if (document.length > limits.characters.max) throw refuse('characters', document.length);
}

function parseWithin(source: string | Source, options: object): DocumentNode {
  const document = parseTokens(source, options);
  let [fields, directives, introspections] = [0, 0, 0];
  visit(document, {
    Field({ name }) {
      fields++;
      if (name.value === '__schema' || name.value === '__type') introspections++;
    },
    Directive: () => void directives++,
  });
  if (fields > limits.fields.max) throw refuse('fields', fields);
  if (directives > limits.directives.max) throw refuse('directives', directives);
  if (introspections > limits.introspections.max) throw refuse('introspections', introspections);
  return document;
}

function parseTokens(source: string | Source, options: object): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: limits.tokens.max });
  } catch (error) {
    const isTooMany = error instanceof GraphQLError && / tokens\. /.test(error.message);
    // Nested brackets can fill the stack.
    throw isTooMany || error instanceof RangeError ? refuse('tokens') : error;
  }
}

/** `InputValuesRule` checks the same as these rules, and gives each issue its path. */
const replaced = new Set<ValidationRule>([ValuesOfCorrectTypeRule, NoUndefinedVariablesRule]);

/** Checks for fragment cycles first, because the other rules would follow a cycle until the stack is full. */
function validateWithin(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
  options: ValidationOptions,
): readonly GraphQLError[] {
  const cycles = validate(schema, document, [NoFragmentCyclesRule], options);
  if (cycles.length > 0) return cycles;
  return validate(
    schema,
    document,
    [...rules.filter((rule) => !replaced.has(rule)), InputValuesRule],
    options,
  );
}

/** Why the operation is refused: issues of its variables, or its size with fragments unfolded. */
function findRefusals(
  { schema, document, operationName, variableValues }: ExecutionArgs,
  context: object,
): AppError[] {
  const operation = getOperationAST(document, operationName);
  // The execution refuses a document without this operation.
  if (!operation) return [];
  const fields = countFields(operation, document);
  if (fields > limits.fields.max) return [refuse('fields', fields)];
  const variables = variableValues ?? {};
  const issues = findVariableIssues(schema, operation, variables);
  if (issues.length > 0) return issues.map((issue) => validationError([issue]));
  const definitions = document.definitions.filter(
    (definition) => definition.kind !== 'OperationDefinition' || definition === operation,
  );
  const { depth, complexity } = complexityFromQuery(
    { ...document, definitions },
    { schema, variables, ctx: context },
  );
  if (depth > limits.levels.max) return [refuse('levels', depth)];
  const isStream = operation.operation === 'subscription';
  const maxPoints = isStream ? maxPointsOfMessage : limits.points.max;
  return complexity > maxPoints ? [refuse('points', complexity, maxPoints)] : [];
}

/** Counts with fragments unfolded. Introspection fields cost no points, so only this count limits them. */
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

/** Throws unless the request selects one operation of its document. */
export function requireOperation(document: DocumentNode, operationName: unknown): void {
  const isNamed = typeof operationName === 'string';
  if (!isNamed && operationName !== undefined && operationName !== null) {
    throw refuseName('invalid_type', 'must be a string');
  }
  if (getOperationAST(document, isNamed ? operationName : null)) return;
  throw isNamed
    ? refuseName('unknown_operation', 'must name an operation of the document')
    : refuseName(
        'required',
        'is required, because the document does not have exactly one operation',
      );
}

function refuseName(code: string, message: string): AppError {
  return validationError([{ path: ['operationName'], code, message }]);
}
