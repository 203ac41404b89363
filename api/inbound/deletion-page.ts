// The hosted page of a data deletion: its state, for the user who asked for it.
import { html } from 'hono/html';
import { findDataDeletion } from '../../schema/database/accounts/data-deletions.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import type { DataDeletionRow } from '../../schema/database/tables.ts';
import type { Context } from '../http/context.ts';
import { brandOf, page } from '../http/pages.ts';

const codePattern = /^[0-9a-f]{32}$/;

export async function showDeletion({ db }: Context, code: string): Promise<Response> {
  const deletion = codePattern.test(code) ? await findDataDeletion(db, code) : undefined;
  if (!deletion) {
    const text = 'Check that the address is complete. Old requests are no longer listed.';
    return page('There is no such request', html`<p>${text}</p>`, { status: 404 });
  }
  const { project_id: projectId } = deletion;
  const brand = projectId === null ? {} : { brand: brandOf(await getProjectRow(db, projectId)) };
  const { state, text } = describe(deletion);
  const body = html`<p>Status: <strong>${state}</strong></p>
    <p>${text}</p>
    <p class="quiet">Confirmation code: ${code}</p>`;
  return page('Your request to delete your data', body, brand);
}

function describe({ received_at: receivedAt, erased_at: erasedAt }: DataDeletionRow) {
  if (erasedAt) {
    const text = `Your request was received on ${toDay(receivedAt)}. All data of your accounts was erased by ${toDay(erasedAt)}.`;
    return { state: 'erased', text };
  }
  const text = `Your request was received on ${toDay(receivedAt)}. Your logins, names and account IDs are erased first, and then what your posts left behind, usually within an hour.`;
  return { state: 'received', text };
}

/** In UTC, such as `2026-01-31`. */
const toDay = (time: Date) => time.toISOString().slice(0, 10);
