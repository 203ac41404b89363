// The built files of the dashboard, kept in memory.
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { html } from 'hono/html';
import { frameHeaders, page } from '../http/pages/page.ts';

/** `npm run build:dashboard` writes this folder. */
export const builtFolder = fileURLToPath(new URL('../../dist/dashboard/', import.meta.url));
const mainFile = 'index.html';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A post's images are loaded from the https URLs that Fanfare fetched them from. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' https: blob:",
  "media-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface BuiltFile {
  bytes: Buffer<ArrayBuffer>;
  headers: Record<string, string>;
}

/**
 * Answers a path below `/dashboard/`. A page has no extension, and every page is the main file. Undefined: there is no
 * such file.
 */
export type RespondFile = (path: string, etag: string | undefined) => Promise<Response | undefined>;

/** Reads the files again when they were built again. */
export function createFiles(folder: string = builtFolder): RespondFile {
  let files: Promise<Map<string, BuiltFile>> | undefined;
  let builtAtMs: number | undefined;

  return async (path, etag) => {
    const isPage = extname(path) === '';
    if (isPage || !files) {
      const main = await stat(join(folder, mainFile)).catch(() => undefined);
      if (!main) return notBuilt();
      if (main.mtimeMs !== builtAtMs) files = readFiles(folder);
      builtAtMs = main.mtimeMs;
    }
    const file = (await files!).get(isPage ? mainFile : path);
    if (!file) return undefined;
    const isKnown = etag === file.headers['ETag'];
    return new Response(isKnown ? null : file.bytes, {
      status: isKnown ? 304 : 200,
      headers: file.headers,
    });
  };
}

async function readFiles(folder: string): Promise<Map<string, BuiltFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.flatMap((entry) =>
    entry.isFile() && extname(entry.name) in types
      ? [join(entry.parentPath, entry.name).slice(folder.length)]
      : [],
  );
  const files = names.map(async (name) => {
    const bytes = await readFile(join(folder, name));
    // Weak, since the files are compressed.
    const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    return [name, { bytes, headers: { ...headersOf(name), ETag: etag } }] as const;
  });
  return new Map(await Promise.all(files));
}

function headersOf(name: string): Record<string, string> {
  const type = { 'Content-Type': types[extname(name)]! };
  // The names of the other files contain a hash of their bytes.
  if (name !== mainFile) return { ...type, 'Cache-Control': 'public, max-age=31536000, immutable' };
  return {
    ...type,
    ...frameHeaders,
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': policy,
  };
}

function notBuilt(): Promise<Response> {
  return page(
    'The dashboard is not built yet',
    html`<p>
      In a clone, <code>npm start</code> builds it, which takes a few seconds. This page then loads
      again. Otherwise, run <code>npm run build:dashboard</code>.
    </p>`,
    { status: 503, refreshAfterS: 2 },
  );
}
