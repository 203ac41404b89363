// Loaded before a program, so that it finds no host, as on a machine without internet.
import dns from 'node:dns';
import { isIP } from 'node:net';

const { lookup } = dns;
dns.lookup = (host, options, given) => {
  const callback = given ?? options;
  if (isIP(host)) return lookup(host, options, callback);
  return callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }));
};
