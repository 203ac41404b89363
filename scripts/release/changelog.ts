// The notes of a version, from the changelog.

/** The text below the heading `## [name]`. Throws if the changelog has no such heading, or nothing below it. */
export function readSection(changelog: string, name: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${name}]`));
  const notes = section?.slice(section.indexOf('\n')).trim();
  if (!notes) throw new Error(`CHANGELOG.md has no section [${name}] with a text.`);
  return notes;
}
