// The terms of a site as choices: its categories and its tags, by their names, which the options take.
import { z } from 'zod';
import { escapeMarkup } from '../../../schema/platforms/text/escape-markup.ts';
import type { Ask, OpenApi } from '../network-api.ts';
import type { Choice, ReadChoices } from '../platform.ts';

/** @see https://developer.wordpress.org/rest-api/reference/categories/ */
const Term = z.object({
  id: z.int().positive(),
  name: z.string(),
  description: z.string().catch(''),
  link: z.string().nullable().catch(null),
  /** 0: the category has no parent. Tags have no such member. */
  parent: z.int().default(0),
});
type Term = z.infer<typeof Term>;

/** The most that WordPress lists at once. */
const pageSize = 100;
/** A site that answers with more terms than requested could make the search for parents take minutes. */
const Terms = z.array(Term).max(pageSize);

/** Lists categories in the order of their names, and the most used tags first. */
export function createChoices(open: OpenApi): Readonly<Record<string, ReadChoices>> {
  return {
    category: readTerms(open, 'wp/v2/categories', { orderby: 'name', order: 'asc' }),
    tag: readTerms(open, 'wp/v2/tags', { orderby: 'count', order: 'desc' }),
  };
}

function readTerms(open: OpenApi, path: string, order: Record<string, string>): ReadChoices {
  return async ({ credentials }, cursor, signal) => {
    const ask = open(credentials, signal);
    if (cursor === undefined) await requireLogin(ask);
    const page = Number(cursor ?? 1);
    const _fields = 'id,name,description,link,parent';
    const query = { ...order, per_page: pageSize, page, _fields };
    const { body: terms } = await ask(path, Terms, { query });
    const next = terms.length < pageSize ? undefined : String(page + 1);
    return { choices: terms.map((term) => toChoice(term, terms)), next };
  };
}

/** Checks that the login works. The list of terms doesn't show that, because everyone may read it. */
async function requireLogin(ask: Ask): Promise<void> {
  const query = { context: 'edit', _fields: 'id' };
  await ask('wp/v2/users/me', Term.pick({ id: true }), { query });
}

/** Leaves out a parent that is on another page. */
function toChoice({ name: stored, description, link, parent }: Term, terms: Term[]): Choice {
  const name = readName(stored);
  const above = terms.find(({ id }) => id === parent);
  return {
    id: name,
    name,
    description: description.trim(),
    url: link,
    parentId: above ? readName(above.name) : null,
    disabledReason: isUsable(name, stored) ? null : 'The name has markup, which no post can send.',
  };
}

/** WordPress stores names with escaped markup. */
const readName = (stored: string) =>
  stored.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Whether a post can send the name. The option takes the name, and the post finds the term by this name. */
const isUsable = (name: string, stored: string) =>
  !/[<>]/.test(name) && escapeMarkup(name) === stored;
