// The packages of the clients, built and installed into folders of their own as their users would.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installOnce, runNpm } from '../servers/npm-installation.ts';
import { installPythonPackages, python } from '../servers/python-packages.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const pythonClient = join(root, 'clients/python');

export interface TypeScriptClient {
  /** A copy of its sources, with its tools. */
  checkout: string;
  /** Where the package is installed. */
  project: string;
  tarball: string;
}

/** `folder`: an empty folder. */
export async function installTypeScriptClient(folder: string): Promise<TypeScriptClient> {
  const source = join(root, 'clients/typescript');
  const finish = async () => undefined;
  const tools = await installOnce({ name: 'typescript-client', source, finish });
  const checkout = join(folder, 'clients/typescript');
  const project = join(folder, 'project');
  for (const name of ['package.json', 'tsconfig.json', 'README.md', 'src', 'scripts']) {
    cpSync(join(source, name), join(checkout, name), { recursive: true });
  }
  symlinkSync(join(tools, 'node_modules'), join(checkout, 'node_modules'));
  mkdirSync(join(folder, 'schema'));
  cpSync(join(root, 'schema/openapi.json'), join(folder, 'schema/openapi.json'));
  mkdirSync(project);
  await runNpm(['pack', '--pack-destination', project], checkout);
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  const tarball = readdirSync(project).find((name) => name.endsWith('.tgz'))!;
  await runNpm(['install', `./${tarball}`, '--offline', '--no-audit', '--no-fund'], project);
  return { checkout, project, tarball };
}

/** Python with the packages that the client and its tests need. Rejects if pip can't install them. */
export async function preparePython() {
  const requirements = join(pythonClient, 'requirements-dev.txt');
  const packages = await installPythonPackages('python-client', requirements);
  /** Rejects with the output if it fails. `home`: where it may write. */
  async function run(
    parameters: readonly string[],
    { home, env = {} }: { home: string; env?: Record<string, string> },
  ): Promise<string> {
    const path = [env['PYTHONPATH'], packages].filter(Boolean).join(delimiter);
    const ran = await promisify(execFile)(python, ['-B', ...parameters], {
      cwd: pythonClient,
      env: { PATH: process.env['PATH'], HOME: home, ...env, PYTHONPATH: path },
      timeout: 300_000,
    }).catch((error: Error & { stdout: string; stderr: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    });
    return ran.stdout;
  }
  return {
    run,
    /** Builds the wheel of the client in `folder`. Returns the value for `PYTHONPATH` with the installed client. */
    async installClient(folder: string): Promise<string> {
      const home = folder;
      await run(['-m', 'hatchling', 'build', '-t', 'wheel', '-d', folder], { home });
      const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'))!;
      const installed = join(folder, 'installed');
      const install = ['pip', 'install', '--quiet', '--no-deps', '--no-index', '--target'];
      await run(['-m', ...install, installed, join(folder, wheel)], { home });
      return installed;
    },
  };
}
