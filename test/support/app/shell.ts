// Runs commands as their readers do, in a shell with curl.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** A substitute for curl, which can do enough for our commands. It is used where the machine has no curl. */
const curlInNode = `#!${process.execPath}
const [, , ...args] = process.argv;
const headers = {};
let url, body, file, method;
for (let i = 0; i < args.length; i++) {
  if (args[i] === '-H') { const [name, value] = args[++i].split(': '); headers[name] = value; }
  else if (args[i] === '-d') body = args[++i];
  else if (args[i] === '-T') file = args[++i];
  else if (args[i] === '-X') method = args[++i];
  else if (!args[i].startsWith('-')) url = args[i];
}
if (file) body = require('node:fs').readFileSync(file);
method ??= file ? 'PUT' : body ? 'POST' : 'GET';
fetch(url, { headers, method, body })
  .then(async (response) => console.log(await response.text()));
`;

export interface Shell extends AsyncDisposable {
  /** What the command prints. */
  run(command: string, env?: Record<string, string>): Promise<string>;
}

export async function createShell(): Promise<Shell> {
  const folder = await mkdtemp(join(tmpdir(), 'fanfare-curl-'));
  await writeFile(join(folder, 'curl'), curlInNode, { mode: 0o755 });
  // The folder comes after the machine's own folders, so that a real curl is found first.
  const path = [process.env['PATH'], folder].join(delimiter);
  return {
    async run(command, env = {}) {
      const options = { env: { ...process.env, ...env, PATH: path } };
      return (await promisify(execFile)('sh', ['-c', command], options)).stdout;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
