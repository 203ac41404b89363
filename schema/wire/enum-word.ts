// How GraphQL spells the words of the wire.

/** `post.published` is `POST_PUBLISHED`, and a network's `MarkdownV2` is `MARKDOWN_V2`. */
export function toEnumWord(word: string): string {
  return word
    .replace(/(?<=[a-z])[A-Z]/g, '_$&')
    .replace(/\W/g, '_')
    .toUpperCase();
}
