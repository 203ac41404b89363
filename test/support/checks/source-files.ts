// The source files of the project with their imports, read without a compiler.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Import {
  /** For our own files, the path from the root of the project. Otherwise, the name of the package. */
  readonly target: string;
  readonly isOurs: boolean;
  readonly isTypeOnly: boolean;
}

export interface SourceFile {
  /** Path from the root of the project: `schema/wire/ids.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folders = ['api', 'activities', 'clients', 'workflows', 'schema', 'scripts', 'test'];

const statement = /^(?:import|export)\s+(type\s+)?(?:[\w*{][^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const dynamic = /\b(?:import|require)\(\s*['"]([^'"]+)['"]/g;

export function readSourceFiles(): SourceFile[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.includes('/node_modules/'))
    .sort()
    .map(readSourceFile);
}

function readSourceFile(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const imports = [
    ...text
      .matchAll(statement)
      .map(([, type, target]) => ({ target: target!, isTypeOnly: !!type })),
    ...text.matchAll(dynamic).map(([, target]) => ({ target: target!, isTypeOnly: false })),
  ].map(({ target, isTypeOnly }) => {
    const isOurs = target.startsWith('.');
    return { target: isOurs ? normalize(join(dirname(path), target)) : target, isOurs, isTypeOnly };
  });
  return { path, text, imports };
}
