// Checks what a client sent against its schema and names every fault by its exact path.
import { z } from 'zod';
import { checkedAlone } from '../../schema/wire/checked-alone.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import { validationError, type Issue } from '../../schema/wire/errors.ts';
import { findPlace } from './misplaced.ts';
import { findTextFaults } from './text-faults.ts';

export interface ValidateOptions {
  /** The path of the value itself: `body`, `query`. */
  root: string;
  /** The code of a member that the schema doesn't know. */
  unknownCode: 'unknown_field' | 'unknown_parameter';
  /** Of the whole value: a member that is unknown in one place may belong in another. */
  schema?: z.core.$ZodType;
}

/** The parsed value, or a `validation_error` that lists every fault. */
export function validate<T>(schema: z.ZodType<T>, value: unknown, options: ValidateOptions): T {
  const textFaults = findTextFaults(value)
    .filter(({ path }) => !isCheckedAlone(schema, path))
    .map(({ path, code, message }) => ({
      path: writePath(path) || options.root,
      ...(code === 'unknown_field' ? unknownMember(options) : { code, message }),
    }));
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success && textFaults.length === 0) return parsed.data;
  const issues = (parsed.error?.issues ?? [])
    .flatMap((issue) => toIssues(issue, { ...options, schema }))
    .filter(({ path, code }) => !textFaults.some((f) => f.path === path && f.code === code));
  throw validationError([...textFaults, ...issues]);
}

/** Whether what stands there is only passed on. */
function isCheckedAlone(schema: z.core.$ZodType, path: readonly PropertyKey[]): boolean {
  let at: z.core.$ZodType | undefined = schema;
  for (const part of path) {
    if (at instanceof z.ZodObject) at = at.shape[String(part)];
    else if (at instanceof z.ZodArray) at = at.element;
    if (at === undefined) return false;
    if (checkedAlone.has(at)) return true;
  }
  return false;
}

export const bodyOptions: ValidateOptions = { root: 'body', unknownCode: 'unknown_field' };
export const queryOptions: ValidateOptions = { root: 'query', unknownCode: 'unknown_parameter' };

/** `['platform_posts', 1, 'account_id']` → `platform_posts[1].account_id` */
function writePath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = String(part);
    if (!/^[A-Za-z_][\w-]*$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

/** A fault of a schema as the wire shows it; `prefix` is where the checked value itself stands. */
export function toIssues(
  issue: z.core.$ZodIssue,
  { root, unknownCode, schema }: ValidateOptions,
  prefix: readonly PropertyKey[] = [],
): Issue[] {
  const at = [...prefix, ...issue.path];
  const path = writePath(at) || root;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const { code, message } = unknownMember({ unknownCode });
        const place = schema && findPlace(schema, at, key);
        return { path: writePath([...at, key]), code, message: place ?? message };
      });
    case 'invalid_type':
      return issue.input === undefined
        ? [{ path, code: 'required', message: 'is required' }]
        : [
            {
              path,
              code: 'invalid_type',
              message:
                ownMessage(issue) ?? `must be ${typeNames[issue.expected] ?? issue.expected}`,
            },
          ];
    case 'too_big':
    case 'too_small': {
      const limit = Number(issue.code === 'too_big' ? issue.maximum : issue.minimum);
      const bound = issue.code === 'too_big' ? 'at most' : 'at least';
      const unit = units[issue.origin];
      const message =
        ownMessage(issue) ??
        (unit ? `must have ${bound} ${countOf(limit, unit)}` : `must be ${bound} ${limit}`);
      const actual = sizeOf(issue.input);
      return [{ path, code: issue.code, message, ...(actual === null ? {} : { actual }), limit }];
    }
    case 'invalid_value': {
      const given = issue.input;
      const values = issue.values.map((value) => JSON.stringify(value));
      const message = ownMessage(issue) ?? `must be ${values.join(' or ')}`;
      if (given === undefined) return [{ path, code: 'required', message }];
      const actual = typeof given === 'string' ? { actual: given.slice(0, 64) } : {};
      return [{ path, code: 'invalid_value', message, ...actual }];
    }
    case 'invalid_format':
      return [{ path, code: 'invalid_format', message: formatMessage(issue) }];
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
      return [{ path, code: 'invalid', message: issue.message }];
    case 'custom':
      return [{ path, code: String(issue.params?.['code'] ?? 'invalid'), message: issue.message }];
  }
}

/** What a schema itself says of the fault, where it knows better than we do. */
function ownMessage({ message }: z.core.$ZodIssue): string | undefined {
  return message.startsWith('must ') ? message : undefined;
}

function unknownMember({ unknownCode }: Pick<ValidateOptions, 'unknownCode'>) {
  const kind = unknownCode === 'unknown_field' ? 'field' : 'parameter';
  return { code: unknownCode, message: `is not a known ${kind}` };
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

const units: Record<string, string> = { string: 'character', array: 'item' };

const formats: Record<string, string> = {
  email: 'must be an e-mail address',
  url: 'must be an absolute URL',
  datetime: 'must be a time such as 2027-01-31T12:00:00Z',
};

function formatMessage(issue: z.core.$ZodIssueInvalidStringFormat): string {
  return formats[issue.format] ?? issue.message;
}

function sizeOf(input: unknown): number | null {
  if (typeof input === 'number') return input;
  if (typeof input === 'string' || Array.isArray(input)) return input.length;
  return null;
}
