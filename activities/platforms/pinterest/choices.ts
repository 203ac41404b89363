// The boards of an account and their sections, as choices.
import { z } from 'zod';
import type { Ask, OpenApi } from '../network-api.ts';
import type { Choice, ReadChoices } from '../platform.ts';
import { pageOf, pageSize, unlessGone } from './api.ts';

/** https://developers.pinterest.com/docs/api/v5/boards-list */
const Board = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  privacy: z.string().optional(),
  is_ads_only: z.boolean().optional(),
  media: z.object({ image_cover_url: z.string().nullish() }).optional().catch(undefined),
});
type Board = z.infer<typeof Board>;

/** https://developers.pinterest.com/docs/api/v5/board_sections-list */
const Section = z.object({ id: z.string(), name: z.string() });

/** Each of these boards costs a request for its sections. */
const boardsAtOnce = 25;
/** Pages of sections that are read for one board. */
const maxPages = 4;

export function createChoices(open: OpenApi): Readonly<Record<string, ReadChoices>> {
  return {
    async boards({ credentials }, bookmark, signal) {
      const { boards, next } = await listBoards(open(credentials, signal), bookmark, pageSize);
      return { choices: boards.map(toChoice), next };
    },

    async board_sections({ credentials }, bookmark, signal) {
      const ask = open(credentials, signal);
      const { boards, next } = await listBoards(ask, bookmark, boardsAtOnce);
      const sections = await Promise.all(boards.map((board) => listSections(ask, board)));
      return { choices: sections.flat(), next };
    },
  };
}

async function listBoards(ask: Ask, bookmark: string | undefined, page_size: number) {
  const { body } = await ask('/boards', pageOf(Board), { query: { bookmark, page_size } });
  return { boards: body.items, next: body.bookmark || undefined };
}

async function listSections(ask: Ask, { id: board }: Board): Promise<Choice[]> {
  const choices: Choice[] = [];
  let bookmark: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const query = { bookmark, page_size: pageSize };
    const path = `/boards/${board}/sections`;
    // The board may have been deleted in the meantime.
    const page = await ask(path, pageOf(Section), { query }).catch(unlessGone);
    choices.push(...(page?.body.items ?? []).map((section) => ({ ...section, parentId: board })));
    bookmark = page?.body.bookmark || undefined;
    if (bookmark === undefined) break;
  }
  return choices;
}

const audiences = new Map([
  ['PROTECTED', 'Protected board.'],
  ['SECRET', 'Secret board.'],
]);

const toChoice = ({ id, name, description, privacy = '', is_ads_only, media }: Board): Choice => ({
  id,
  name,
  description: [audiences.get(privacy), description].filter(Boolean).join(' '),
  imageUrl: media?.image_cover_url,
  disabledReason: is_ads_only ? 'The board takes only pins of ads.' : null,
});
