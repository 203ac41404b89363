// The parts of the search for a lost post that several networks share.
import type { Target } from './platform.ts';

/** The network's clock may be behind ours. */
const clockErrorMs = 60_000;

/** Time from which a post can be the target, in milliseconds. */
export const earliestOf = ({ dueAt }: Pick<Target, 'dueAt'>): number =>
  dueAt.getTime() - clockErrorMs;

/** Removes what networks change in a text: its whitespace and invisible characters. */
export const toComparable = (text: string): string =>
  text.toWellFormed().replaceAll(/[\s\p{C}]/gu, '');
