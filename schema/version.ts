// The version of Fanfare, which probes, logs, documents and requests to other hosts name.
import packageJson from '../package.json' with { type: 'json' };

export const { version } = packageJson;
