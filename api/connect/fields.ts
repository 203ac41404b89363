// The fields of a form, and what is wrong with them.
import { html } from 'hono/html';
import type { CredentialField } from '../../activities/platforms/credential-fields.ts';
import type { AppError } from '../../schema/wire/errors.ts';
import { render, type Path } from '../../schema/wire/names.ts';
import { plain, prose, type Html } from '../http/pages/prose.ts';
import { inEnglish, messageOf, ofConnector, PageError, type Texts } from '../http/pages/texts.ts';

/**
 * The issues of the field as complete sentences. A message of Fanfare gets the label before it and a period
 * after it. A message of a network already is a sentence.
 */
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

export function findOtherIssues(
  texts: Texts,
  fields: CredentialField[],
  error: AppError | undefined,
): Html[] {
  if (!error) return [];
  if (error instanceof PageError) return [messageOf(texts, error)];
  if (error.code !== 'validation_error') return [inEnglish(texts, plain(error.message))];
  return (error.options.issues ?? [])
    .filter(({ path }) => !fields.some(({ name }) => isAt(path, name)))
    .map(({ message }) => inEnglish(texts, plain(useLabels(render(message), fields))));
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
export function issueSummary(
  texts: Texts,
  wrong: readonly { name: string; issues: string[] }[],
): Html {
  return html`<section aria-labelledby="problem" class="summary">
    <h2 id="problem">${texts.problem}</h2>
    <ul>
      ${wrong.map(
        ({ name, issues }) =>
          html`<li><a href="#${name}">${inEnglish(texts, issues.join(' '))}</a></li>`,
      )}
    </ul>
  </section>`;
}

export function showField(
  texts: Texts,
  field: CredentialField & { issues: string[] },
  value: string | undefined,
  isFocused: boolean,
): Html {
  const { name, label, description, isRequired, isOptional, isMultiline, isSecret, issues } = field;
  const shown = ofConnector(texts, label);
  const error = issues.length > 0 && `${name}-error`;
  const hint = description !== undefined && `${name}-hint`;
  const describedBy = [error, hint].filter(Boolean).join(' ');
  const attributes = html`autocomplete="off" autocapitalize="none" spellcheck="false"
  ${describedBy !== '' && html`aria-describedby="${describedBy}"`}
  ${error && html`aria-invalid="true"`} ${isFocused && 'autofocus'} ${isRequired && 'required'}`;
  return html`<label for="${name}">${isOptional ? texts.optional(shown) : shown}</label>
    ${error && html`<p role="alert" id="${error}">${inEnglish(texts, plain(issues.join(' ')))}</p>`}
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
    ${hint && html`<p class="quiet" id="${hint}">${ofConnector(texts, description, prose)}</p>`}`;
}
