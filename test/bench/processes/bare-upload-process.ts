// The baseline of uploads: a bare server that writes each body to one file, and answers once it is on disk.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const path = join(process.argv[2]!, 'bare-upload');

async function store(request: IncomingMessage): Promise<void> {
  await pipeline(request, createWriteStream(path));
  {
    await using file = await open(path, 'r+');
    await file.sync();
  }
  await rm(path);
}

const server = createServer((request, response) => {
  store(request).then(
    () => response.writeHead(200).end(),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('disconnect', () => process.exit(0));
process.send!({ port: (server.address() as AddressInfo).port });
