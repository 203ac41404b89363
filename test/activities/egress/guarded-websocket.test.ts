// Guarded WebSockets for connectors with a URL from a user.
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { asProject } from '../../../activities/current-project.ts';
import type { MessageSocket } from '../../../activities/egress/guarded-websocket.ts';
import {
  cert,
  createClient,
  listen,
  resolvingTo,
  startHttp,
  startHttps,
} from '../../support/receivers/loopback.ts';

const noSignal = new AbortController().signal;

async function startWebSockets(serve: (socket: WebSocket) => unknown) {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => void serve(socket));
  return listen(server, 'ws');
}

async function readAll({ messages }: MessageSocket): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of messages) texts.push(text);
  return texts;
}

describe('withWebSocket', () => {
  test('sends and receives messages, and closes the connection at the end', async () => {
    const server = await startWebSockets((socket) => {
      socket.send('at once');
      socket.on('message', (text: Buffer) => socket.send(`echo ${text.toString()}`));
    });
    const texts = await createClient().withWebSocket(server.url, noSignal, async (socket) => {
      socket.send('hello');
      const seen: string[] = [];
      for await (const text of socket.messages) {
        seen.push(text);
        if (seen.length === 2) return seen;
      }
      return [];
    });
    expect(texts).toEqual(['at once', 'echo hello']);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('does not answer pings, so that a flood of them fills no memory', async () => {
    const answers: string[] = [];
    const server = await startWebSockets((socket) => {
      socket.on('pong', () => answers.push('pong'));
      socket.on('message', () => {
        answers.push('message');
        socket.close();
      });
      socket.ping();
      socket.send('behind the ping');
    });
    await createClient().withWebSocket(server.url, noSignal, async (socket) => {
      for await (const _ of socket.messages) socket.send('hello');
    });
    expect(answers).toEqual(['message']);
  });

  test('ends the messages when the server closes the connection', async () => {
    const server = await startWebSockets((socket) => {
      socket.send('last');
      socket.close();
    });
    const { withWebSocket } = createClient();
    expect(await withWebSocket(server.url, noSignal, readAll)).toEqual(['last']);
  });

  test('connects to TLS servers with a trusted certificate', async () => {
    const server = await startHttps((_request, response) => response.writeHead(404).end());
    const url = `wss://hook.test:${server.port}/`;
    const trusting = createClient({ ca: [cert], lookup: resolvingTo('127.0.0.1') });
    await expect(trusting.withWebSocket(url, noSignal, readAll)).rejects.toThrow(/404/);
    const { withWebSocket } = createClient({ lookup: resolvingTo('127.0.0.1') });
    await expect(withWebSocket(url, noSignal, readAll)).rejects.toThrow(/self-signed/);
  });

  test('refuses URLs that the guard refuses, without connecting', async () => {
    const server = await startWebSockets(() => undefined);
    const { withWebSocket } = createClient({ allowed: [], lookup: resolvingTo('127.0.0.1') });
    const open = (url: string) => withWebSocket(url, noSignal, readAll);
    for (const url of [`wss://hook.test:${server.port}/`, `ws://hook.test:${server.port}/`]) {
      await expect(open(url), url).rejects.toMatchObject({ code: 'ENOTFOUND' });
    }
    for (const url of [
      server.url,
      'wss://[::1]/',
      'wss://a:b@example.com/',
      'ftp://example.com/',
    ]) {
      await expect(open(url), url).rejects.toMatchObject({ code: 'blocked_address' });
    }
    expect(server.connections).toBe(0);
  });

  test('refuses ws: to a public address', async () => {
    const { withWebSocket } = createClient({ lookup: resolvingTo('8.8.8.8') });
    await expect(withWebSocket('ws://8.8.8.8/', noSignal, readAll)).rejects.toMatchObject({
      code: 'blocked_address',
    });
    await expect(withWebSocket('ws://relay.test/', noSignal, readAll)).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });

  test('follows no redirect', async () => {
    const target = await startWebSockets((socket) => socket.send('hello'));
    const server = await startHttp((_request, response) => {
      response.writeHead(302, { Location: target.url }).end();
    });
    const url = server.url.replace('http', 'ws');
    await expect(createClient().withWebSocket(url, noSignal, readAll)).rejects.toThrow(/302/);
    expect(target.connections).toBe(0);
  });

  test('has one deadline for opening, reading and use', async () => {
    const never = await startHttp(() => undefined);
    const silent = await startWebSockets(() => undefined);
    const chatty = await startWebSockets((socket) => {
      const timer = setInterval(() => socket.send('again'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const { withWebSocket } = createClient({ fetchDeadlineMs: 200 });
    for (const server of [never, silent, chatty]) {
      const startedAt = performance.now();
      const open = withWebSocket(server.url.replace('http', 'ws'), noSignal, readAll);
      await expect(open).rejects.toMatchObject({ name: 'AbortError' });
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      await expect.poll(() => server.sockets.size).toBe(0);
    }
  });

  test("ends at the caller's signal", async () => {
    const silent = await startWebSockets(() => undefined);
    const caller = new AbortController();
    const open = createClient().withWebSocket(silent.url, caller.signal, (socket) => {
      caller.abort();
      return readAll(socket);
    });
    await expect(open).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('refuses messages that are too long, each or in total', async () => {
    const long = await startWebSockets((socket) => socket.send('x'.repeat(2_000)));
    const many = await startWebSockets((socket) => {
      for (let i = 0; i < 100; i++) socket.send('x'.repeat(100));
    });
    const { withWebSocket } = createClient({ fetchMaxBytes: 1_000 });
    await expect(withWebSocket(long.url, noSignal, readAll)).rejects.toThrow(/payload/i);
    await expect(withWebSocket(many.url, noSignal, readAll)).rejects.toThrow(/too much/);
    for (const server of [long, many]) await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('limits the connections of one project to one server', async () => {
    const server = await startWebSockets(() => undefined);
    const { withWebSocket } = createClient({ connectionsPerOrigin: 1 });
    const first = Promise.withResolvers<void>();
    const open = (project: string, until: Promise<void>) =>
      asProject(project, () => withWebSocket(server.url, noSignal, () => until));
    const isOver = Promise.resolve();
    const both = [open('prj_1', first.promise), open('prj_1', isOver)];
    await open('prj_2', isOver);
    expect(server.connections).toBe(2);
    first.resolve();
    await Promise.all(both);
    expect(server.connections).toBe(3);
  });
});
