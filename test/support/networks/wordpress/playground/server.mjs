// A WordPress site on loopback; lives until its standard input closes.
import { once } from 'node:events';
import { createReadStream, rmSync } from 'node:fs';
import { createServer, Server } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [installation, dataDirectory, version] = process.argv.slice(2);

// When the test run is gone, even by `kill -9`, the standard input closes.
process.stdin.on('end', end).on('error', end).resume();

function end() {
  rmSync(dataDirectory, { recursive: true, force: true });
  process.exit(0);
}

// The playground would listen at every address of this machine.
const { listen } = Server.prototype;
Server.prototype.listen = function listenOnLoopback(port, ...rest) {
  return listen.call(this, port, '127.0.0.1', ...rest);
};

const { resolve } = createRequire(join(installation, 'package.json'));
const builds = dirname(resolve('@wp-playground/wordpress-builds/package.json'));
const zip = join(builds, 'src', 'wordpress', `wp-${version}.zip`);
// The playground takes the address of a release, but not a file.
const download = createServer((_, response) => createReadStream(zip).pipe(response)).listen(0);
await once(download, 'listening');

const plugin = 'fanfare-test.php';
const { runCLI } = await import(pathToFileURL(resolve('@wp-playground/cli')).href);
const { serverUrl } = await runCLI({
  command: 'server',
  port: 0,
  php: '8.3',
  wp: `http://127.0.0.1:${download.address().port}/wp-${version}.zip`,
  workers: 1,
  verbosity: 'quiet',
  'define-bool': { DISABLE_WP_CRON: true },
  'mount-before-install': [
    {
      hostPath: fileURLToPath(new URL(plugin, import.meta.url)),
      vfsPath: `/wordpress/wp-content/mu-plugins/${plugin}`,
    },
  ],
});
download.close();
// The playground answers the first request with a redirect to the same address.
await fetch(`${serverUrl}/wp-json/`);
console.log(JSON.stringify({ url: serverUrl }));
