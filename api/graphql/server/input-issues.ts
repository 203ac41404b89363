// Checks arguments and variables against their types, and reports issues as REST does.
import {
  GraphQLError,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  typeFromAST,
  type ASTNode,
  type ASTVisitor,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValidationContext,
  type ValueNode,
  type VariableNode,
} from 'graphql';
import { maxIssues, validationError, type Issue } from '../../../schema/wire/errors.ts';
import type { Path } from '../../../schema/wire/names.ts';

/** A value of a variable or in the document. */
interface Value {
  isNull: boolean;
  node?: ValueNode;
  /** Read only as deep as the type goes, because the client chooses the nesting. */
  items(): Value[] | undefined;
  members(): Map<string, Value> | undefined;
  /** Throws, or returns undefined, for a value of another type. */
  coerce(type: GraphQLLeafType): unknown;
}

function fromJson(value: unknown): Value {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return {
    isNull: value === null,
    items: () => (Array.isArray(value) ? value.map(fromJson) : undefined),
    members: () =>
      isObject
        ? new Map(Object.entries(value).map(([name, member]) => [name, fromJson(member)]))
        : undefined,
    coerce: (type) => type.coerceInputValue(value),
  };
}

function fromNode(node: ValueNode): Value {
  return {
    isNull: node.kind === Kind.NULL,
    node,
    items: () => (node.kind === Kind.LIST ? node.values.map(fromNode) : undefined),
    members: () =>
      node.kind === Kind.OBJECT
        ? new Map(node.fields.map(({ name, value }) => [name.value, fromNode(value)]))
        : undefined,
    coerce: (type) =>
      type.coerceInputLiteral?.(node as never) ?? type.parseLiteral(node, undefined),
  };
}

type Report = (code: string, message: string, path: Path, node?: ASTNode) => void;

interface Check {
  report: Report;
  onVariable?: (node: VariableNode, path: Path) => void;
}

function checkValue(value: Value, type: GraphQLInputType, path: Path, check: Check): void {
  const { node } = value;
  if (node?.kind === Kind.VARIABLE) check.onVariable?.(node, path);
  else if (isNonNullType(type) && value.isNull) {
    check.report('invalid_type', 'must not be null', path, node);
  } else if (isNonNullType(type)) checkValue(value, type.ofType, path, check);
  else if (value.isNull) return;
  else if (isListType(type)) {
    const items = value.items();
    if (!items) checkValue(value, type.ofType, path, check);
    items?.forEach((item, i) => checkValue(item, type.ofType, [...path, i], check));
  } else if (isInputObjectType(type)) checkObject(value, type, path, check);
  else checkLeaf(value, type, path, check);
}

function checkObject(value: Value, type: GraphQLInputObjectType, path: Path, check: Check): void {
  const report: Report = (code, message, at) => check.report(code, message, at, value.node);
  const members = value.members();
  if (!members) {
    report('invalid_type', 'must be an object', path);
    return;
  }
  const fields = type.getFields();
  for (const field of Object.values(fields)) {
    const member = members.get(field.name);
    const at = [...path, field.name];
    if (member) checkValue(member, field.type, at, check);
    else if (isRequiredInputField(field)) report('required', 'is required', at);
  }
  for (const name of members.keys()) {
    if (Object.hasOwn(fields, name)) continue;
    report('unknown_field', 'is not a known field', [...path, name]);
  }
  const [chosen, ...others] = members.values();
  if (type.isOneOf && (!chosen || chosen.isNull || others.length > 0)) {
    report('invalid_type', 'must have exactly one field', path);
  }
}

function checkLeaf(value: Value, type: GraphQLLeafType, path: Path, { report }: Check): void {
  try {
    if (value.coerce(type) !== undefined) return;
  } catch {
    // The error's message quotes the value, which may be a password.
  }
  const wanted = isEnumType(type) ? `a value of ${type.name}` : scalars[type.name];
  report('invalid_type', `must be ${wanted ?? `of the type ${type.name}`}`, path, value.node);
}

const scalars: Record<string, string> = {
  Boolean: 'true or false',
  Float: 'a number',
  ID: 'a string',
  Int: 'a whole number of 32 bits',
  String: 'a string',
};

/** The first issues of an operation's variables. */
export function findVariableIssues(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
): Issue[] {
  const issues: Issue[] = [];
  const report: Report = (code, message, path) => {
    if (issues.length < maxIssues) issues.push({ path, code, message });
  };
  for (const { variable, type: node, defaultValue } of variableDefinitions) {
    const { value: name } = variable.name;
    const type = typeFromAST(schema, node);
    if (!isInputType(type)) continue;
    const isGiven = Object.hasOwn(values, name) && values[name] !== undefined;
    const isMissing = isGiven ? values[name] === null : !defaultValue;
    if (isMissing && isNonNullType(type)) report('required', 'is required', [name]);
    else if (isGiven) checkValue(fromJson(values[name]), type, [name], { report });
  }
  return issues;
}

/** A validation rule for the values in a document, and for variables that it doesn't declare. */
export function InputValuesRule(context: ValidationContext): ASTVisitor {
  const report: Report = (code, message, path, node) => {
    const originalError = validationError([{ path, code, message }]);
    context.reportError(
      new GraphQLError(originalError.message, { nodes: node ?? null, originalError }),
    );
  };
  const paths = new Map<VariableNode, Path>();
  const check: Check = { report, onVariable: (node, path) => paths.set(node, path) };

  return {
    Argument({ name, value }) {
      const argument = context.getArgument();
      if (argument) checkValue(fromNode(value), argument.type, [name.value], check);
    },
    VariableDefinition({ variable, type: node, defaultValue }) {
      const type = typeFromAST(context.getSchema(), node);
      if (!defaultValue || !isInputType(type)) return;
      checkValue(fromNode(defaultValue), type, [variable.name.value], check);
    },
    Document: {
      leave({ definitions }) {
        for (const operation of definitions) {
          if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
          const declared = new Set(
            operation.variableDefinitions?.map(({ variable }) => variable.name.value),
          );
          for (const { node } of context.getRecursiveVariableUsages(operation)) {
            const { value: name } = node.name;
            if (declared.has(name)) continue;
            const message = `uses the undeclared variable $${name}`;
            report('invalid_type', message, paths.get(node) ?? ['query'], node);
          }
        }
      },
    },
  };
}
