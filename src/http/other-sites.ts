/**
 * Refuses requests that a page of another site makes a browser send: under its own name to a service that only this
 * machine reaches (DNS rebinding), or to change something without a place in CORS_ORIGINS.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { crossSite, foreignName } from '../contract/service-problems';

const LOOPBACK_ADDRESS = /^((::ffff:)?127\.|::1$)/;
const LOOPBACK_NAME = /^((.+\.)?localhost\.?|127(\.\d+){3}|\[::1\])$/i;
/** Links, images and preflights: they change nothing. */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Returns middleware for all routes. */
export const refuseOtherSites =
  (server: Server, corsOrigins: readonly string[]): RequestHandler =>
  (req, _res, next) => {
    const { method, headers } = req;
    const isForeign =
      headers['sec-fetch-site'] === 'cross-site' && !corsOrigins.includes(headers.origin ?? '');
    if (isRebound(req, server)) next(foreignName());
    else next(isForeign && !SAFE_METHODS.has(method) ? crossSite() : undefined);
  };

/** With TRUST_PROXY the names are the proxy's. Probes ask by any name, and show nothing. */
function isRebound({ app, hostname, path }: Request, server: Server) {
  const { address } = server.address() as AddressInfo;
  if (app.get('trust proxy') !== false || !LOOPBACK_ADDRESS.test(address)) return false;
  return Boolean(hostname) && !LOOPBACK_NAME.test(hostname) && !path.startsWith('/health/');
}
