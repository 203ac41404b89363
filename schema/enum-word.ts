// How GraphQL spells the words of the wire.

/** `post.published` is `POST_PUBLISHED`. */
export function toEnumWord(word: string): string {
  return word.toUpperCase().replace(/\W/g, '_');
}
