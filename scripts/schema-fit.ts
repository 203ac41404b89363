// Whether the values of one schema of an OpenAPI document fit another schema, such as the one before.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  deprecated?: boolean;
  [limit: string]: unknown;
}

export interface Comparison {
  /** Components of the schemas that describe the values. */
  readonly source: Readonly<Record<string, Schema>>;
  /** Components of the schemas that the values must fit. */
  readonly target: Readonly<Record<string, Schema>>;
  /** Whether a client reads the values. Its code may use every member of the schema that it knew. */
  readonly isAnswer: boolean;
}

/** Why a value of `source` may not fit `target`. Empty if every value does. */
export function findMisfits(
  source: Schema,
  target: Schema,
  comparison: Comparison,
  at: string,
  seen: ReadonlySet<string> = new Set(),
): string[] {
  // Schemas that contain themselves are compared once.
  const pair = `${source.$ref} ${target.$ref}`;
  if (source.$ref && target.$ref && seen.has(pair)) return [];
  const now = new Set([...seen, pair]);
  const targets = variantsOf(target, comparison.target);
  return variantsOf(source, comparison.source).flatMap((variant) => {
    const misfits = targets
      .filter(({ type }) => type === undefined || isOfType(variant, type))
      .map((each) => compareVariants(variant, each, comparison, at, now))
      .toSorted((a, b) => a.length - b.length);
    return misfits[0] ?? [`${at} ${describeType(variant, comparison)}`];
  });
}

/** The alternatives of a schema, each with one type. */
function variantsOf(schema: Schema, components: Comparison['source']): Schema[] {
  const { $ref, allOf, anyOf, oneOf, type } = schema;
  if ($ref !== undefined) return variantsOf(components[$ref.split('/').at(-1)!]!, components);
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return alternatives.flatMap((each) => variantsOf(each, components));
  if (allOf?.length === 1) return variantsOf(allOf[0]!, components);
  if (Array.isArray(type)) return type.map((each) => ({ ...schema, type: each }));
  return [schema];
}

function isOfType({ type }: Schema, wanted: Schema['type']): boolean {
  return type === wanted || (type === 'integer' && wanted === 'number');
}

function describeType({ type = 'any value' }: Schema, { isAnswer }: Comparison): string {
  return isAnswer ? `may now be ${String(type)}` : `no longer takes ${String(type)}`;
}

function compareVariants(
  source: Schema,
  target: Schema,
  comparison: Comparison,
  at: string,
  seen: ReadonlySet<string>,
): string[] {
  return [
    ...compareValues(source, target, comparison, at),
    ...compareMembers(source, target, comparison, at, seen),
    ...(source.items && target.items
      ? findMisfits(source.items, target.items, comparison, `${at}[]`, seen)
      : []),
  ];
}

const maxima = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const minima = ['minimum', 'minLength', 'minItems', 'minProperties'];

function compareValues(
  source: Schema,
  target: Schema,
  { isAnswer }: Comparison,
  at: string,
): string[] {
  const found: string[] = [];
  if (target.enum) {
    const others = source.enum?.filter((word) => !target.enum!.includes(word)) ?? ['any value'];
    const words = others.map(String).join(', ');
    if (others.length > 0)
      found.push(`${at} ${isAnswer ? 'may now be' : 'no longer takes'} ${words}`);
  }
  const isWithin = (name: string, fits: (own: number, limit: number) => boolean) => {
    const [own, limit] = [source[name], target[name]];
    return limit === undefined || (own !== undefined && fits(Number(own), Number(limit)));
  };
  const changed = [
    ...maxima.filter((name) => !isWithin(name, (own, limit) => own <= limit)),
    ...minima.filter((name) => !isWithin(name, (own, limit) => own >= limit)),
    ...['format', 'pattern'].filter(
      (name) => target[name] !== undefined && source[name] !== target[name],
    ),
  ];
  return [...found, ...changed.map((name) => `${at} changed its ${name}`)];
}

function compareMembers(
  source: Schema,
  target: Schema,
  comparison: Comparison,
  at: string,
  seen: ReadonlySet<string>,
): string[] {
  const { isAnswer } = comparison;
  const [own, known] = [source.properties ?? {}, target.properties ?? {}];
  const missing = (target.required ?? [])
    .filter((name) => !source.required?.includes(name) && (!isAnswer || name in own))
    .map((name) => `${at}.${name} became ${isAnswer ? 'optional' : 'required'}`);
  const [before, after] = isAnswer ? [known, own] : [own, known];
  const isClosed = isAnswer || target.additionalProperties === false;
  const removed = Object.entries(before)
    .filter(([name, { deprecated }]) => isClosed && !(name in after) && deprecated !== true)
    .map(([name]) => `${at}.${name} was removed`);
  const shared = Object.entries(own).flatMap(([name, member]) =>
    known[name] ? findMisfits(member, known[name], comparison, `${at}.${name}`, seen) : [],
  );
  const [others, allowed] = [source.additionalProperties, target.additionalProperties];
  const isRecord = typeof others === 'object' && typeof allowed === 'object';
  const values = isRecord ? findMisfits(others, allowed, comparison, `${at}.*`, seen) : [];
  return [...missing, ...removed, ...shared, ...values];
}
