// Opens a socket to a host that a user names. The guard checks the host, and a trace records the progress.
import * as net from 'node:net';
import type { Socket } from 'node:net';
import * as tls from 'node:tls';
import type { UrlGuard } from './url-guard.ts';

export interface SocketSettings {
  guard: UrlGuard;
  secureContext: tls.SecureContext;
}

export interface SocketTarget {
  /** The project that the lookup counts for. */
  owner: string;
  hostname: string;
  protocol: string;
  port: string;
}

export type SocketCallback = (...result: [null, Socket] | [Error, null]) => void;

const addressAttemptMs = 500;
const tcpKeepAliveMs = 60_000;

/** How far the opening of a socket has come, and when. */
export class SocketTrace {
  phase: 'lookup' | 'connect' | 'tls' | 'open' = 'lookup';
  readonly startedAt = performance.now();
  lookedUpAt: number | null = null;
  connectedAt: number | null = null;
  securedAt: number | null = null;
  remoteAddress: string | null = null;

  timings(): { dns_ms: number | null; connect_ms: number | null; tls_ms: number | null } {
    return {
      dns_ms: sinceMs(this.startedAt, this.lookedUpAt),
      connect_ms: sinceMs(this.lookedUpAt ?? this.startedAt, this.connectedAt),
      tls_ms: sinceMs(this.connectedAt, this.securedAt),
    };
  }
}

/** Rounds to a tenth of a millisecond. */
export function sinceMs(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : Math.round((to - from) * 10) / 10;
}

/** `ca`: certificates that are trusted in addition to the default ones. */
export function createSecureContext(ca: readonly string[] = []): tls.SecureContext {
  return tls.createSecureContext(
    ca.length > 0 ? { ca: [...tls.getCACertificates('default'), ...ca] } : {},
  );
}

/** Every connection to a host that a user names begins here. Null: the host was refused at once. */
export function openSocket(
  settings: SocketSettings,
  target: SocketTarget,
  trace: SocketTrace,
  callback: SocketCallback,
): Socket | null {
  const { owner, hostname, protocol } = target;
  const isSecure = protocol === 'https:';
  const isLiteral = net.isIP(hostname) !== 0;
  // A literal address never reaches the lookup below.
  if (isLiteral) {
    try {
      settings.guard.checkLiteral(hostname, protocol);
    } catch (error) {
      process.nextTick(callback, error, null);
      return null;
    }
    trace.phase = 'connect';
  }
  const options = {
    host: hostname,
    port: target.port === '' ? (isSecure ? 443 : 80) : Number(target.port),
    lookup: settings.guard.lookupFor(protocol, owner),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressAttemptMs,
    keepAlive: true,
    keepAliveInitialDelay: tcpKeepAliveMs,
    noDelay: true,
  };
  const socket = isSecure
    ? tls.connect({
        ...options,
        secureContext: settings.secureContext,
        servername: isLiteral ? '' : hostname.replace(/\.$/, ''),
        ALPNProtocols: ['http/1.1'],
      })
    : net.connect(options);
  follow(socket, isSecure, trace, callback);
  return socket;
}

function follow(socket: Socket, isSecure: boolean, trace: SocketTrace, callback: SocketCallback) {
  let isSettled = false;
  function fail(error: Error): void {
    if (!isSettled) callback(error, null);
    isSettled = true;
  }
  function succeed(): void {
    trace.phase = 'open';
    if (!isSettled) callback(null, socket);
    isSettled = true;
  }
  socket.once('lookup', (error: Error | null) => {
    if (error) return;
    trace.lookedUpAt = performance.now();
    trace.phase = 'connect';
  });
  socket.once('connect', () => {
    trace.connectedAt = performance.now();
    trace.remoteAddress = socket.remoteAddress ?? null;
    trace.phase = 'tls';
    if (!isSecure) succeed();
  });
  socket.once('secureConnect', () => {
    trace.securedAt = performance.now();
    succeed();
  });
  socket.on('error', fail);
  socket.once('close', () => {
    fail(Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' }));
  });
}
