// Checks a client's input against its schema and reports every issue with its path.
import { z } from 'zod';
import { checkedAlone } from '../../schema/wire/checked-alone.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import { maxIssues, validationError, type Issue } from '../../schema/wire/errors.ts';
import { writePath, type Path, type Text } from '../../schema/wire/names.ts';
import { findTextIssues } from './text-issues.ts';

interface ValidateOptions {
  /** The path of the value itself. Default: the value is the body. */
  at?: Path;
  /** Word for a member of the value in messages. Default: `field`. */
  member?: 'field' | 'parameter';
}

/** Returns the parsed value, or throws a `validation_error` with every issue. */
export function validate<T>(
  schema: z.ZodType<T>,
  value: unknown,
  options: ValidateOptions = {},
): T {
  const textIssues = findTextIssues(value)
    .filter(({ path }) => !isCheckedAlone(schema, path))
    .map((issue) => ({
      ...issue,
      ...(issue.code === 'unknown_field' && unknownMember(options)),
      path: [...(options.at ?? []), ...issue.path],
    }));
  const { data, issues } = check(schema, value, options);
  if (issues.length === 0 && textIssues.length === 0) return data as T;
  const keyOf = ({ path, code }: Issue) => `${writePath(path)} ${code}`;
  const found = new Set(textIssues.map(keyOf));
  throw validationError([...textIssues, ...issues.filter((issue) => !found.has(keyOf(issue)))]);
}

/** Whether the value at the path is part of a value that is checked on its own later. */
function isCheckedAlone(schema: z.core.$ZodType, path: Path): boolean {
  let at: z.core.$ZodType | undefined = schema;
  for (const part of path) {
    if (at instanceof z.ZodObject) at = at.shape[String(part)];
    else if (at instanceof z.ZodArray) at = at.element;
    if (at === undefined) return false;
    if (checkedAlone.has(at)) return true;
  }
  return false;
}

/** Checks only by the schema, so text that Postgres can't store passes. */
export function check<T>(schema: z.ZodType<T>, value: unknown, options: ValidateOptions = {}) {
  const { data, error } = schema.safeParse(value, { reportInput: true, error: describe });
  // A body may have thousands of issues.
  const found = (error?.issues ?? []).slice(0, maxIssues);
  const issues = found.flatMap((issue) => toIssues(issue, schema, options)).slice(0, maxIssues);
  return { data, issues };
}

function toIssues(
  issue: z.core.$ZodIssue,
  schema: z.core.$ZodType,
  options: ValidateOptions,
): Issue[] {
  const inner = issue.path as Path;
  const path = [...(options.at ?? []), ...inner];
  const { code, message } = issue;
  switch (code) {
    case 'unrecognized_keys':
      return issue.keys.slice(0, maxIssues).map((key) => {
        const unknown = unknownMember(options);
        const place = findPlace(schema, inner, key);
        return { path: [...path, key], code: unknown.code, message: place ?? unknown.message };
      });
    case 'invalid_type':
      return issue.input === undefined
        ? [{ path, code: 'required', message: 'is required' }]
        : [{ path, code, message }];
    case 'too_big':
    case 'too_small': {
      const limit = Number(code === 'too_big' ? issue.maximum : issue.minimum);
      const actual = sizeOf(issue.input);
      return [{ path, code, message, ...(actual === null ? {} : { actual }), limit }];
    }
    case 'invalid_value': {
      const { input } = issue;
      if (input === undefined) return [{ path, code: 'required', message }];
      const actual = typeof input === 'string' ? { actual: input.slice(0, 64) } : {};
      return [{ path, code, message, ...actual }];
    }
    case 'invalid_format':
      return [{ path, code, message }];
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
      return [{ path, code: 'invalid', message }];
    case 'custom': {
      const { code: own = 'invalid', text = message } = issue.params ?? {};
      return [{ path, code: String(own), message: text as Text }];
    }
  }
}

/** The message of an issue, if the schema has no message for it. Undefined: zod's own message. */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'too_big':
    case 'too_small': {
      const [bound, limit] =
        issue.code === 'too_big' ? ['at most', issue.maximum] : ['at least', issue.minimum];
      const unit = units[issue.origin];
      return unit
        ? `must have ${bound} ${countOf(Number(limit), unit)}`
        : `must be ${bound} ${Number(limit)}`;
    }
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'invalid_format':
      return issue.format === 'url' ? describeUrl(issue) : formats[issue.format];
    default:
      return undefined;
  }
}

/** The URLs that the schema accepts. */
function describeUrl({ inst, pattern }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>) {
  const { protocol = /^https?$/, hostname } = (inst as z.ZodURL).def as z.core.$ZodURLDef;
  const schemes = ['http', 'https'].filter((scheme) => protocol.test(scheme));
  const url = `must be an ${schemes.map((scheme) => `\`${scheme}\``).join(' or ')} URL`;
  return hostname && pattern === hostname.source ? `${url} with a domain name` : url;
}

/** Hint for an unknown member of the object at `path`: where the member belongs. */
function findPlace(schema: z.core.$ZodType, [list]: Path, name: string): Text | undefined {
  if (!(schema instanceof z.ZodObject)) return undefined;
  if (typeof list === 'string') {
    if (!Object.hasOwn(schema.shape, name)) return undefined;
    return ({ field }) => `belongs beside ${field(list)}`;
  }
  const home = Object.entries(schema.shape).find(([, member]) => hasItemsWith(member, name));
  return home && (({ field }) => `belongs in ${field(`${home[0]}[]`)}`);
}

function hasItemsWith(schema: z.core.$ZodType, name: string): boolean {
  const list = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(list instanceof z.ZodArray) || !(list.element instanceof z.ZodObject)) return false;
  return Object.hasOwn(list.element.shape, name);
}

function unknownMember({ member = 'field' }: ValidateOptions) {
  return { code: `unknown_${member}`, message: `is not a known ${member}` };
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
  email: 'must be an email address',
  datetime: 'must be a time such as 2027-01-31T12:00:00Z',
};

function sizeOf(input: unknown): number | null {
  if (typeof input === 'number') return input;
  if (typeof input === 'string' || Array.isArray(input)) return input.length;
  return null;
}
