// The query of a request: single texts, and the lists and maps that the schema of the route declares.
import { z } from 'zod';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import type { Path } from '../../schema/wire/names.ts';
import { validate } from '../http/validation.ts';

/** How a URL writes a parameter, in the words of OpenAPI. */
interface ParameterStyle {
  style: 'form' | 'deepObject';
  explode: boolean;
}

/** Reads and checks the query. An issue with an item of a list is one of the whole parameter. */
export function readQuery<T>(url: URL, schema: z.ZodType<T>): T {
  try {
    return validate(schema, parse(url.searchParams, schema), { member: 'parameter' });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw error.withPaths((path) => path.filter((part) => typeof part !== 'number'));
  }
}

function parse(parameters: URLSearchParams, schema: z.ZodType): Record<string, unknown> {
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const styleOf = (name: string): ParameterStyle | undefined =>
    Object.hasOwn(shape, name) ? (shape[name]!.meta()?.['param'] as ParameterStyle) : undefined;
  const query = emptyObject<unknown>();
  for (const [written, value] of parameters) {
    const entry = /^([^[]*)\[(.*)\]$/s.exec(written);
    const map = entry?.[1];
    const style = styleOf(map ?? written);
    if (map !== undefined && style?.style === 'deepObject') {
      const entries = (query[map] ??= emptyObject<string>());
      add(entries as Record<string, unknown>, entry![2]!, value, [map, entry![2]!]);
    } else if (style?.style === 'form') {
      const values = style.explode ? [value] : value.split(',');
      query[written] = [...((query[written] as string[] | undefined) ?? []), ...values];
    } else if (style?.style === 'deepObject') {
      const message = `must be written as ${written}[key]=value`;
      throw validationError([{ path: [written], code: 'invalid_type', message }]);
    } else {
      add(query, written, value, [written]);
    }
  }
  return query;
}

/** Without a prototype, so that `__proto__` is a name like any other. */
const emptyObject = <T>() => Object.create(null) as Record<string, T>;

function add(object: Record<string, unknown>, name: string, value: string, path: Path): void {
  if (typeof object !== 'object' || name in object) {
    throw validationError([
      { path, code: 'repeated_parameter', message: 'must be given only once' },
    ]);
  }
  object[name] = value;
}
