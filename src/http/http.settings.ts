/**
 * The settings of the HTTP server. TRUST_PROXY says which proxies may state the address of a client, on which
 * rate limits depend.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import { integer, settingsSlice } from '../environment/settings-slice';

const isAddress = (text: string) => {
  const [address, bits = '1', ...more] = text.trim().split('/');
  const maxBits = isIP(address) === 4 ? 32 : 128;
  // A mask of 0 would trust any client, too, and Express takes none.
  const isMask = /^[1-9]\d*$/.test(bits) && Number(bits) <= maxBits;
  return isIP(address) > 0 && more.length === 0 && isMask;
};

/** There is no "on": it would trust any address in X-Forwarded-For. */
const trustProxy = z
  .string()
  .refine(
    (text) => /^(off|\d+|loopback|linklocal|uniquelocal)$/.test(text) || text.split(',').every(isAddress),
    'must be off, a number of proxies, or addresses of proxies',
  )
  .transform((text) => (text === 'off' ? false : /^\d+$/.test(text) ? Number(text) || false : text))
  .meta({ accepts: 'off, a number of proxies, or addresses of proxies separated by commas' });

/** Browsers send no final slash, no default port and no capitals. Applications have schemes of their own. */
const isOrigin = (text: string) =>
  /^https?:/.test(text)
    ? URL.canParse(text) && new URL(text).origin === text
    : /^[a-z][a-z\d+.-]*:\/\/[\w.:-]+$/.test(text);

const ORIGINS = 'origins such as https://app.example.com, separated by commas';
const origins = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((origin) => origin.trim())
      .filter(Boolean),
  )
  .refine((list) => list.every(isOrigin), `must be ${ORIGINS}, in lower case and without a path`)
  .meta({ accepts: ORIGINS });

export class HttpSettings extends settingsSlice({
  variables: {
    PORT: integer(0, 65535).prefault('3000').describe('TCP port; 0 picks a free one'),
    HOST: z
      .string()
      .min(1)
      .prefault('0.0.0.0')
      .describe(
        'address to listen on; 127.0.0.1 if the database has the account of a first start on a terminal',
      ),
    TRUST_PROXY: trustProxy
      .prefault('off')
      .meta({ description: 'proxies whose X-Forwarded-For header is trusted', decidesAccess: true }),
    CORS_ORIGINS: origins
      .optional()
      .meta({ description: 'whose pages may call the API', decidesAccess: true }),
    SHUTDOWN_GRACE_MS: integer(0, 600_000)
      .prefault('0')
      .describe('time to keep serving after SIGTERM while readiness fails'),
    SHUTDOWN_TIMEOUT_MS: integer(0, 3_600_000)
      .prefault('35000')
      .describe('how long a shutdown waits for requests in flight'),
  },
  read: (e) => ({
    host: e.HOST,
    port: e.PORT,
    trustProxy: e.TRUST_PROXY,
    corsOrigins: e.CORS_ORIGINS ?? [],
    shutdownGraceMs: e.SHUTDOWN_GRACE_MS,
    shutdownTimeoutMs: e.SHUTDOWN_TIMEOUT_MS,
  }),
}) {}
