// Compares a new OpenAPI document with the one before, and names what breaks clients of the old one.
import { findMisfits, type Comparison, type Schema } from './schema-fit.ts';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  deprecated?: boolean;
  schema: Schema;
}

interface Body {
  $ref?: string;
  required?: boolean;
  content?: Record<string, { schema: Schema }>;
}

interface Operation {
  operationId?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Body>;
}

type Paths = Record<string, Record<string, Operation>>;

export interface RestDocument {
  paths?: Paths;
  webhooks?: Paths;
  components?: { schemas?: Record<string, Schema>; responses?: Record<string, Body> };
}

/** Removing what was `deprecated` before is not breaking. */
export function findRestChanges(before: RestDocument, after: RestDocument): string[] {
  const [old, now] = [before, after].map(({ components }) => components?.schemas ?? {});
  const asking: Comparison = { source: old!, target: now!, isAnswer: false };
  const answering: Comparison = { source: now!, target: old!, isAnswer: true };
  const responseOf = ({ components }: RestDocument, response: Body | undefined) =>
    response?.$ref ? components?.responses?.[response.$ref.split('/').at(-1)!] : response;

  function compareAnswers(earlier: Operation, later: Operation): string[] {
    const statuses = new Set([earlier, later].flatMap(({ responses }) => Object.keys(responses)));
    return [...statuses].flatMap((status) => {
      const known = responseOf(before, earlier.responses[status]);
      const sent = responseOf(after, later.responses[status]);
      const at = `response ${status}`;
      if (known && sent) return compareBodies(sent, known, answering, at);
      // All errors have the same body.
      if (!/^[23]/.test(status)) return [];
      return [`${at} was ${known ? 'removed' : 'added'}`];
    });
  }

  return [
    ...compareOperations(before.paths, after.paths, (earlier, later) => [
      ...compareParameters(earlier.parameters ?? [], later.parameters ?? [], asking),
      ...compareRequests(earlier.requestBody, later.requestBody, asking),
      ...compareAnswers(earlier, later),
    ]),
    ...compareOperations(before.webhooks, after.webhooks, (earlier, later) =>
      compareBodies(later.requestBody ?? {}, earlier.requestBody ?? {}, answering, 'message'),
    ),
  ];
}

/** Each change with its operation: `GET /v1/posts: response 200.data was removed`. */
function compareOperations(
  before: Paths = {},
  after: Paths = {},
  compare: (earlier: Operation, later: Operation) => string[],
): string[] {
  return Object.entries(before).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, earlier]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const later = after[path]?.[method];
      if (!later) return earlier.deprecated ? [] : [`${name} was removed`];
      const { operationId = '' } = later;
      const isRenamed = earlier.operationId !== undefined && earlier.operationId !== operationId;
      const renamed = isRenamed ? [`operationId became ${operationId}`] : [];
      return [...renamed, ...compare(earlier, later)].map((change) => `${name}: ${change}`);
    }),
  );
}

function compareParameters(before: Parameter[], after: Parameter[], asking: Comparison): string[] {
  const find = (parameters: Parameter[], { name, in: place }: Parameter) =>
    parameters.find((each) => each.name === name && each.in === place);
  const kept = before.flatMap((earlier) => {
    const at = `parameter ${earlier.name}`;
    const later = find(after, earlier);
    if (!later) return earlier.deprecated ? [] : [`${at} was removed`];
    const isNewlyRequired = later.required === true && earlier.required !== true;
    return [
      ...(isNewlyRequired ? [`${at} became required`] : []),
      ...findMisfits(earlier.schema, later.schema, asking, at),
    ];
  });
  const added = after.filter((later) => later.required === true && !find(before, later));
  return [...kept, ...added.map(({ name }) => `required parameter ${name} was added`)];
}

function compareRequests(
  earlier: Body | undefined,
  later: Body | undefined,
  asking: Comparison,
): string[] {
  if (later?.required === true && earlier?.required !== true) return ['request became required'];
  if (!earlier) return [];
  return later ? compareBodies(earlier, later, asking, 'request') : ['request was removed'];
}

/** Compares the bodies of each media type that the reader of the bodies takes. */
function compareBodies(
  { content: source = {} }: Body,
  { content: target = {} }: Body,
  comparison: Comparison,
  at: string,
): string[] {
  const [before, after] = comparison.isAnswer ? [target, source] : [source, target];
  return Object.keys(before).flatMap((type) =>
    after[type]
      ? findMisfits(source[type]!.schema, target[type]!.schema, comparison, at)
      : [`${at} is no longer ${type}`],
  );
}
