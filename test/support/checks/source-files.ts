// The project's own source files and what each of them imports, read without a compiler.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Import {
  /** A path from the root of the project for our own files, else the package's name. */
  readonly target: string;
  readonly isOurs: boolean;
  readonly isTypeOnly: boolean;
}

export interface SourceFile {
  /** From the root of the project: `schema/wire/ids.ts`. */
  readonly path: string;
  readonly room: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const rooms = ['api', 'activities', 'workflows', 'schema', 'test'];

const statement = /^(?:import|export)\s+(type\s+)?(?:[\w*{][^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const dynamic = /\b(?:import|require)\(\s*['"]([^'"]+)['"]/g;

export function readSourceFiles(): SourceFile[] {
  return rooms
    .flatMap((room) => globSync(`${room}/**/*.ts`, { cwd: root }))
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
  return { path, room: path.split('/')[0]!, text, imports };
}
