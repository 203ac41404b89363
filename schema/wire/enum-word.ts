// Converts enum values of the wire to GraphQL names.

/** `post.published` → `POST_PUBLISHED`, `MarkdownV2` → `MARKDOWN_V2` */
export function toEnumWord(word: string): string {
  return word
    .replace(/(?<=[a-z])[A-Z]/g, '_$&')
    .replace(/\W/g, '_')
    .toUpperCase();
}
