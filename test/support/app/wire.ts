// A wire to Temporal that can be cut and mended; its address stays the same.
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export class Wire {
  readonly #target: string;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(target: string) {
    this.#target = target;
  }

  /** Known once it was mended for the first time. */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Open sockets, two for each connection. */
  get socketCount(): number {
    return this.#sockets.size;
  }

  async mend(): Promise<void> {
    const [host, port] = this.#target.split(':');
    this.#server = createServer((near) => {
      const far = connect(Number(port), host);
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) =>
      this.#server!.listen(this.#port, '127.0.0.1', () => resolve()),
    );
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server!.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
