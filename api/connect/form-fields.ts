// The fields of a form on a hosted page: read from the network's schema, and shown with their issues.
import { html } from 'hono/html';
import { z } from 'zod';
import type { ConnectMethod } from '../../activities/platforms/platform.ts';
import type { AppError } from '../../schema/wire/errors.ts';
import { render, type Path } from '../../schema/wire/names.ts';
import { plain, prose, type Html } from '../http/pages.ts';

interface CredentialField {
  name: string;
  label: string;
  description: string | undefined;
  isRequired: boolean;
  /** Shown as optional, because other fields are required. */
  isOptional: boolean;
  isMultiline: boolean;
  /** Typed as a password, and never shown again. */
  isSecret: boolean;
}

const FieldSchemas = z.object({
  description: z.string().optional(),
  properties: z.record(
    z.string(),
    z.object({
      title: z.string().optional(),
      description: z.string().optional(),
      'x-multiline': z.boolean().default(false),
      'x-secret': z.boolean().default(false),
    }),
  ),
  required: z.array(z.string()).default([]),
});

const noInputs = z.strictObject({});

/** The schema of what the method asks the user for. */
export function fieldsOf(method: ConnectMethod): z.ZodType<Record<string, string>> {
  return method.kind === 'form' ? method.fields : (method.inputs ?? noInputs);
}

/** Reads the fields, with their labels and help, from the network's schema. */
export function readFields(schema: z.ZodType) {
  const { description, properties, required } = FieldSchemas.parse(
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  );
  const fields = Object.entries(properties).map(([name, schema]): CredentialField => {
    const isRequired = required.includes(name);
    return {
      name,
      label: schema.title ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '),
      description: schema.description,
      isRequired,
      isOptional: required.length > 0 && !isRequired,
      isMultiline: schema['x-multiline'],
      isSecret: schema['x-secret'],
    };
  });
  return { description, fields };
}

/** Complete sentences. Fanfare's messages start with the label; a network's end with a period. */
export function findIssues(
  { name, label }: CredentialField,
  fields: CredentialField[],
  error: AppError | undefined,
): string[] {
  return (error?.options.issues ?? [])
    .filter(({ path }) => isAt(path, name))
    .map(({ message }) => {
      const text = useLabels(render(message), fields);
      return /^[a-z].*[^.]$/s.test(text) ? `${label} ${text}.` : text;
    });
}

export function findOtherIssues(fields: CredentialField[], error: AppError | undefined): string[] {
  if (!error) return [];
  if (error.code !== 'validation_error') return [error.message];
  return (error.options.issues ?? [])
    .filter(({ path }) => !fields.some(({ name }) => isAt(path, name)))
    .map(({ message }) => useLabels(render(message), fields));
}

function isAt([parent, member]: Path, name: string): boolean {
  return parent === 'credentials' && member === name;
}

/** Replaces the API's field names, such as `bot_token`, with their labels. */
function useLabels(message: string, fields: CredentialField[]): string {
  return fields
    .filter(({ name }) => name.includes('_'))
    .reduce((text, { name, label }) => text.replaceAll(name, label), message);
}

/** Links to the fields to correct. */
export function issueSummary(wrong: readonly { name: string; issues: string[] }[]): Html {
  return html`<section aria-labelledby="problem" class="summary">
    <h2 id="problem">There is a problem</h2>
    <ul>
      ${wrong.map(({ name, issues }) => html`<li><a href="#${name}">${issues.join(' ')}</a></li>`)}
    </ul>
  </section>`;
}

export function showField(
  field: CredentialField & { issues: string[] },
  value: string | undefined,
  isFocused: boolean,
): Html {
  const { name, label, description, isRequired, isOptional, isMultiline, isSecret, issues } = field;
  const error = issues.length > 0 && `${name}-error`;
  const hint = description !== undefined && `${name}-hint`;
  const describedBy = [error, hint].filter(Boolean).join(' ');
  const attributes = html`autocomplete="off" autocapitalize="none" spellcheck="false"
  ${describedBy !== '' && html`aria-describedby="${describedBy}"`}
  ${error && html`aria-invalid="true"`} ${isFocused && 'autofocus'} ${isRequired && 'required'}`;
  return html`<label for="${name}">${label}${isOptional && ' (optional)'}</label>
    ${error && html`<p role="alert" id="${error}">${plain(issues.join(' '))}</p>`}
    ${
      isMultiline
        ? html`<textarea id="${name}" name="${name}" rows="4" ${attributes}>${value}</textarea>`
        : html`<input
            id="${name}"
            name="${name}"
            type="${isSecret ? 'password' : 'text'}"
            value="${isSecret ? '' : value}"
            ${attributes}
          />`
    }
    ${hint && html`<p class="quiet" id="${hint}">${prose(description)}</p>`}`;
}
