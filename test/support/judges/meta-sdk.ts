// Runs Meta's own client of its Graph API against a simulator, in a process of its own.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installOnce } from '../servers/npm-installation.ts';

const source = fileURLToPath(new URL('./meta', import.meta.url));
const run = promisify(execFile);
const timeoutMs = 60_000;

/** The result that the client returned for a call. */
export interface SdkAnswer {
  /** Name of the step that made the call. */
  step: string;
  data?: unknown;
  error?: { status: number; code: number; subcode?: number; message: string };
}

/** `driver`: a file in the folder of the package. `graphUrl`: replaces https://graph.facebook.com. */
export async function driveWithSdk(
  driver: string,
  graphUrl: string,
  input: Record<string, unknown>,
): Promise<SdkAnswer[]> {
  const folder = await installOnce({ name: 'meta-sdk', source, finish: async () => undefined });
  const env = {
    ...process.env,
    META_SDK: folder,
    GRAPH_URL: graphUrl,
    INPUT: JSON.stringify(input),
  };
  const { stdout } = await run(process.execPath, [`${source}/${driver}`], {
    env,
    timeout: timeoutMs,
  });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as SdkAnswer);
}
