// Variables whose values are in files, as container platforms mount secrets: `<NAME>_FILE` is the path.
import { readFileSync } from 'node:fs';
import { ConfigError } from './config.ts';
import { Environment } from './environment.ts';

type Variables = Record<string, string | undefined>;

const suffix = '_FILE';

/**
 * Replaces each `<NAME>_FILE` by `<NAME>`, without the newline at the end of the file. Throws a ConfigError
 * that lists every file that can't be read, and every variable that is set in both ways.
 */
export function readFileVariables(env: Variables): Variables {
  const read: Variables = { ...env };
  const issues: string[] = [];
  for (const [variable, path] of Object.entries(env)) {
    const name = variable.slice(0, -suffix.length);
    if (!variable.endsWith(suffix) || !(name in Environment.shape) || !path) continue;
    delete read[variable];
    if (env[name]) {
      issues.push(`${variable}: can't be set together with ${name}`);
      continue;
    }
    try {
      read[name] = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      if (read[name] === '') issues.push(`${variable}: the file is empty`);
    } catch (error) {
      issues.push(`${variable}: the file can't be read (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  if (issues.length > 0) throw new ConfigError(issues);
  return read;
}
