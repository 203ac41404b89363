// How the dashboard is built: into dist/dashboard, which api/dashboard/files.ts serves.
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { hashSources, stampName } from '../sources.ts';

/** Names the sources in the build, so that `npm start` doesn't build them again. */
function stamp(): Plugin {
  let source = '';
  return {
    name: 'stamp',
    apply: 'build',
    // A source that changes during the build is then built again.
    async buildStart() {
      source = await hashSources();
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: stampName, source });
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react(), stamp()],
  build: {
    outDir: '../../../dist/dashboard',
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the pages allows no script, style or font from `data:`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The package has to contain the licenses of what it contains.
    license: { fileName: 'licenses.md' },
  },
});
