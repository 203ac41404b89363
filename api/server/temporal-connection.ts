// Connections to Temporal: a client that connects when first used, and the worker's native one.
import { readFile } from 'node:fs/promises';
import { Client, Connection, type WorkflowService } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Config } from '../../schema/config/config.ts';

/** Without this option, gRPC would send all traffic with Temporal through the proxy in `http_proxy`. */
export const withoutProxy = { channelArgs: { 'grpc.enable_http_proxy': 0 } };

/** Without this option, a new client would wait for the connection of an earlier client. */
const withoutSharing = { 'grpc.use_local_subchannel_pool': 1 };

export interface TemporalTarget {
  address: string;
  config: Config;
}

/** Returns a client that connects when first used. */
export async function createTemporalClient(target: TemporalTarget): Promise<Client> {
  const channelArgs = { ...withoutProxy.channelArgs, ...withoutSharing };
  const connection = Connection.lazy({ ...(await connectionOptions(target)), channelArgs });
  return new Client({ connection, namespace: target.config.temporal.namespace });
}

/**
 * Closes the client after the call. gRPC would wait forever for a connection that was silent when it was
 * opened.
 */
export async function askOnce<T>(
  { connection }: Client,
  withinMs: number,
  call: (service: WorkflowService) => Promise<T>,
): Promise<T> {
  try {
    return await connection.withDeadline(Date.now() + withinMs, () =>
      call(connection.workflowService),
    );
  } finally {
    await connection.close();
  }
}

export async function connectNative(target: TemporalTarget): Promise<NativeConnection> {
  return NativeConnection.connect(await connectionOptions(target));
}

async function connectionOptions({ address, config }: TemporalTarget) {
  const { tlsCertPath, tlsKeyPath } = config.temporal;
  const { temporalApiKey } = config.secrets;
  const clientCertPair =
    tlsCertPath && tlsKeyPath
      ? { crt: await readFile(tlsCertPath), key: await readFile(tlsKeyPath) }
      : undefined;
  return {
    address,
    ...(clientCertPair ? { tls: { clientCertPair } } : temporalApiKey ? { tls: true } : {}),
    ...(temporalApiKey ? { apiKey: temporalApiKey } : {}),
  };
}
