// How the dashboard is built: into dist/dashboard, which api/dashboard/files.ts serves.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react()],
  build: {
    outDir: '../../../dist/dashboard',
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the pages allows no script, style or font from `data:`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
