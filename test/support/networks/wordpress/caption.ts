// The text of a post as its author wrote it, read back from the blocks that WordPress keeps.

const block = /<!-- wp:(html|paragraph)[^>]*-->\n([^]*?)\n<!-- \/wp:\1 -->/g;

export function toCaption(content: string): string {
  return [...content.matchAll(block)]
    .map(([, name, inner = '']) => (name === 'html' ? inner : toText(inner)))
    .join('\n\n');
}

function toText(html: string): string {
  return html
    .replaceAll('<br>', '\n')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&#0?91;/g, '[')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
