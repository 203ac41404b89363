// Plugins of esbuild that fit the sources into one folder of JavaScript.
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const here = import.meta.dirname;

/** Replaces modules by others of this folder with the same exports. */
export function inPlaceOf(root: string, replaced: Record<string, string>): Plugin {
  return {
    name: 'in-place-of',
    setup(build) {
      const paths = new Map(
        Object.entries(replaced).map(([from, to]) => [join(root, from), join(here, to)]),
      );
      const unused = new Set(paths.keys());
      const names = [...paths.keys()].map((path) => path.replace(/^.*\/|\.[jt]s$/g, ''));
      const filter = new RegExp(`/(${names.join('|')})(\\.[jt]s)?$`);
      build.onResolve({ filter }, ({ path, resolveDir }) => {
        const source = resolve(resolveDir, path);
        const from = paths.has(source) ? source : `${source}.js`;
        const found = paths.get(from);
        if (found === undefined) return undefined;
        unused.delete(from);
        return { path: found };
      });
      // Such as after a release of Temporal's SDK that moves its bundler.
      build.onEnd(() => ({
        errors: [...unused].map((path) => ({ text: `Nothing imports ${relative(root, path)}.` })),
      }));
    },
  };
}

const urlOfFile = /new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g;
const lazyPackage = /createRequire\(import\.meta\.url\)\('([^']+)'\)/g;

/**
 * Gives our sources the new places of the files that they open, which are all in one folder. A file without a new
 * place fails the build.
 */
export function placesOfFiles(root: string, places: Record<string, string>): Plugin {
  return {
    name: 'places-of-files',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path.includes('/node_modules/') || path.startsWith(`${here}/`)) return undefined;
        const text = await readFile(path, 'utf8');
        const missing: string[] = [];
        const contents = text
          .replaceAll(urlOfFile, (_, target: string) => {
            const file = relative(root, join(dirname(path), target));
            const place = places[file] ?? places[`${file}/`];
            if (place === undefined) missing.push(file);
            return `new URL('${place}', import.meta.url)`;
          })
          .replaceAll(lazyPackage, (_, name: string) => `require(${JSON.stringify(name)})`);
        const name = relative(root, path);
        return {
          contents,
          loader: 'ts',
          errors: missing.map((file) => ({ text: `${name} opens ${file}, which has no place.` })),
        };
      });
    },
  };
}

/** The package of the native bridge stays outside, but its JavaScript doesn't, as it would load the SDK twice. */
export const bridgeOutside: Plugin = {
  name: 'bridge-outside',
  setup(build) {
    build.onLoad({ filter: /@temporalio\/core-bridge\/common\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const folder = `path.dirname(require.resolve('@temporalio/core-bridge/package.json'))`;
      const contents = text.replace(
        "path.resolve(__dirname, 'releases'",
        () => `path.resolve(${folder}, 'releases'`,
      );
      if (contents === text)
        return { errors: [{ text: 'The path of the native bridge has changed.' }] };
      return { contents, loader: 'js' };
    });
  },
};
