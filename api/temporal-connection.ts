// Connections to Temporal: a client that connects when first used, and the worker's native one.
import { readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Config } from '../schema/config.ts';

/** gRPC would send all that passes through Temporal to the proxy that `http_proxy` names. */
export const withoutProxy = { channelArgs: { 'grpc.enable_http_proxy': 0 } };

export interface TemporalTarget {
  address: string;
  config: Config;
}

/** The API's client: it accepts posts while Temporal is away, so connecting must not be a condition. */
export async function createTemporalClient(target: TemporalTarget): Promise<Client> {
  const connection = Connection.lazy({ ...(await connectionOptions(target)), ...withoutProxy });
  return new Client({ connection, namespace: target.config.temporal.namespace });
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
