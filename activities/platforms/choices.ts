// Reads all choices of a kind, page by page, in a form that can be stored.
import type { Choice, ConnectedAccount, ReadChoices } from './platform.ts';
import { readUrl } from './platform-answer.ts';
import { cutText } from './storable.ts';

/** Further choices are left out. */
const maxChoices = 2_000;
/** Maximum length of all choices together. */
const maxListChars = 1_000_000;
const maxPages = 20;
/** A choice with a longer ID is left out, because a shortened ID would name another choice. */
const maxIdChars = 1_000;
const maxNameChars = 500;
const maxTextChars = 1_000;

/** A member is null if the network doesn't give it. */
export type StorableChoice = {
  [Name in keyof Required<Choice>]: Exclude<Choice[Name], undefined>;
};

export interface ChoiceList {
  choices: StorableChoice[];
  /** The network has no more choices. */
  isComplete: boolean;
}

/** Keeps the order of the network. If several choices have the same ID, the first one wins. */
export async function readAllChoices(
  readPage: ReadChoices,
  account: ConnectedAccount,
  signal: AbortSignal,
): Promise<ChoiceList> {
  const found = new Map<string, StorableChoice>();
  const toList = (isComplete: boolean) => ({ choices: [...found.values()], isComplete });
  let leftChars = maxListChars;
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const { choices, next } = await readPage(account, cursor, signal);
    for (const given of choices) {
      const choice = toStorable(given);
      if (!isUsable(choice) || found.has(choice.id)) continue;
      leftChars -= countChars(choice);
      if (found.size === maxChoices || leftChars < 0) return toList(false);
      found.set(choice.id, choice);
    }
    if (next === undefined) return toList(true);
    cursor = next;
  }
  return toList(false);
}

function countChars(choice: StorableChoice): number {
  return Object.values(choice).reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

function toStorable(choice: Choice): StorableChoice {
  const { id, name, description, url, imageUrl, parentId, disabledReason } = choice;
  const shorten = (text: string | null | undefined) => (text ? cutText(text, maxTextChars) : null);
  return {
    id: cutText(id, id.length),
    name: cutText(name, maxNameChars),
    description: shorten(description),
    url: url ? readUrl(url) : null,
    imageUrl: imageUrl ? readUrl(imageUrl) : null,
    parentId: parentId ? cutText(parentId, parentId.length) : null,
    disabledReason: shorten(disabledReason),
  };
}

const isUsable = ({ id, parentId }: StorableChoice) =>
  id !== '' && id.length <= maxIdChars && (parentId ?? '').length <= maxIdChars;
