// The version of Fanfare, from package.json.
import packageJson from '../package.json' with { type: 'json' };

export const { version } = packageJson;
