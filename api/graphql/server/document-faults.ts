// Where a fault of a GraphQL request lies, read from the error with which the library refuses it.
import {
  BREAK,
  isValueNode,
  Kind,
  parse,
  visit,
  type ASTNode,
  type DocumentNode,
  type GraphQLError,
  type Source,
} from 'graphql';
import type { Issue } from '../../../schema/wire/errors.ts';

type Place = Pick<Issue, 'path' | 'code'> & { message?: string };

const places: readonly (readonly [RegExp, (found: string[]) => Place])[] = [
  [
    /^Variable "\$(\w+)" got invalid value .*?(?: at "([^"]+)")?; (.*)$/s,
    ([, name, path, message]) => ({ path: path ?? name!, code: 'invalid_type', message: message! }),
  ],
  [
    /^Variable "\$(\w+)" .*(?:not provided|not be null)/s,
    ([, name]) => ({ path: name!, code: 'required' }),
  ],
  [/^Expected "(\w+)" param/, ([, name]) => ({ path: name!, code: 'invalid_type' })],
  [/^Unexpected parameter "(.*)" in the/s, ([, name]) => ({ path: name!, code: 'unknown_field' })],
  [
    /^Batching is not/,
    () => ({
      path: 'body',
      code: 'batch_not_supported',
      message: 'must be one operation: batches are not taken, send each by itself',
    }),
  ],
  [
    /^(?:POST body|Invalid "params" in|Expected params to be) /,
    () => ({ path: 'body', code: 'invalid_type' }),
  ],
  [/^Must provide query/, () => ({ path: 'query', code: 'required' })],
];

/** A message that quotes what it is about may be as long as that is, and longer. */
const maxMessage = 500;

export function toIssue(error: GraphQLError): Issue {
  const { path, code, ...place } = placeIn(error);
  // What was found beside the fault may hold a password.
  const message = (place.message ?? error.message).replace(
    /, found(?::| String| BlockString) .*$/s,
    '.',
  );
  const member = /\b(not to )?include (?:required|unknown) field "(\w+)"/.exec(message);
  const end = member ? `.${member[2]}` : '';
  return {
    path: path.endsWith(end) ? path : path + end,
    code: member ? (member[1] ? 'unknown_field' : 'required') : code,
    message: message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message,
  };
}

function placeIn(error: GraphQLError): Place {
  for (const [pattern, toPlace] of places) {
    const found = pattern.exec(error.message);
    if (found) return toPlace(found);
  }
  const node = error.nodes?.[0];
  const path = node && error.source && pathOfValue(error.source, node);
  return path === undefined || path === ''
    ? { path: 'query', code: 'invalid_document' }
    : { path, code: 'invalid_type' };
}

const documents = new WeakMap<Source, DocumentNode>();

/** Of a value that stands in the document itself: `input.platformPosts[1]`, from its argument on. */
function pathOfValue(source: Source, wanted: ASTNode): string | undefined {
  if (!isValueNode(wanted) && wanted.kind !== Kind.OBJECT_FIELD) return undefined;
  const document = documents.get(source) ?? parse(source);
  documents.set(source, document);
  const parts: string[] = [];
  let found: string | undefined;
  visit(document, {
    enter(node, key, parent) {
      parts.push(partOf(node, Array.isArray(parent) ? key : undefined));
      if (node.kind !== wanted.kind || node.loc?.start !== wanted.loc?.start) return undefined;
      found = parts.join('');
      return BREAK;
    },
    leave: () => void parts.pop(),
  });
  return found;
}

function partOf(node: ASTNode, index: string | number | undefined): string {
  if (node.kind === Kind.ARGUMENT) return node.name.value;
  if (node.kind === Kind.OBJECT_FIELD) return `.${node.name.value}`;
  return isValueNode(node) && index !== undefined ? `[${index}]` : '';
}
