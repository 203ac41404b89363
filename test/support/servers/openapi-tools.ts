// Installs the linter and the client generator that the tests run over the OpenAPI document.
import { fileURLToPath } from 'node:url';
import { installOnce } from './npm-installation.ts';

const source = fileURLToPath(new URL('../openapi-tools', import.meta.url));

/** Returns the folder of the tools' `node_modules`. */
export function installOpenApiTools(): Promise<string> {
  return installOnce({ name: 'openapi-tools', source, finish: async () => undefined });
}
