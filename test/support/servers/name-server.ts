// A real DNS server on loopback: it answers some names and stays silent on others.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer extends AsyncDisposable {
  /** Address of the server, as `address:port`. */
  readonly address: string;
  /** The names in the questions. A name appears once for each of its questions. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export interface NameServerOptions {
  /**
   * The IPv4 addresses of a name; undefined: the name doesn't exist; `silent`: the server doesn't answer.
   * Default: names that contain `silent` get no answer, names that end in `.known.test` are 127.0.0.1, and no
   * other names exist.
   */
  answer?: (name: string) => readonly string[] | 'silent' | undefined;
}

const headLength = 12;
const typeA = 1;

export async function startNameServer(options: NameServerOptions = {}): Promise<NameServer> {
  const { answer = answerByName } = options;
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, peer) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    const found = answer(name);
    if (found === 'silent') return;
    const addresses = type === typeA ? (found ?? []) : [];
    const head = Buffer.from(query.subarray(0, end));
    head.writeUInt16BE(found ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(addresses.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, ...addresses.map(toRecord)]), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const close = () => new Promise<void>((resolve) => void socket.close(resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function answerByName(name: string): readonly string[] | 'silent' | undefined {
  if (name.includes('silent')) return 'silent';
  return name.endsWith('.known.test') ? ['127.0.0.1'] : undefined;
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = headLength;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** An answer for the name in the question: type A, class IN. It must not be cached. */
function toRecord(address: string): Buffer {
  const head = [0xc0, headLength, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4];
  return Buffer.from(head.concat(address.split('.').map(Number)));
}
