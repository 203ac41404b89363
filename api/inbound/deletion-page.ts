// The hosted page of a data deletion: its state, for the user who asked for it.
import { html } from 'hono/html';
import { findDataDeletion } from '../../schema/database/accounts/data-deletions.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import type { DataDeletionRow } from '../../schema/database/tables.ts';
import type { Context } from '../http/context.ts';
import { brandOf } from '../http/pages/brand.ts';
import { page } from '../http/pages/page.ts';
import type { Texts } from '../http/pages/texts.ts';

const codePattern = /^[0-9a-f]{32}$/;

export async function showDeletion({ db }: Context, texts: Texts, code: string): Promise<Response> {
  const { deletion: shown } = texts;
  const deletion = codePattern.test(code) ? await findDataDeletion(db, code) : undefined;
  if (!deletion) {
    return page(shown.unknown, html`<p>${shown.unknownText}</p>`, { texts, status: 404 });
  }
  const { project_id: projectId } = deletion;
  const brand = projectId === null ? {} : { brand: brandOf(await getProjectRow(db, projectId)) };
  const { state, text } = describe(shown, deletion);
  const body = html`<p>${shown.status} <strong>${state}</strong></p>
    <p>${text}</p>
    <p class="quiet">${shown.code(code)}</p>`;
  return page(shown.title, body, { texts, ...brand });
}

function describe(
  texts: Texts['deletion'],
  { received_at: receivedAt, erased_at: erasedAt }: DataDeletionRow,
) {
  const received = texts.day(receivedAt);
  return erasedAt
    ? { state: texts.erased, text: texts.erasedText(received, texts.day(erasedAt)) }
    : { state: texts.received, text: texts.receivedText(received) };
}
