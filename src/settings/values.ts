/** The kinds of values that settings have: how each is written, and what is wrong with it when it is not. */
import { isIP } from 'node:net';
import { totalmem } from 'node:os';
import { z } from 'zod';
import { QUALITY_TARGETS } from '../compression/domain/compression-policy';

/** One mebibyte in bytes: sizes are stated in MB and meant as the larger, binary unit. */
export const MEBIBYTE = 1024 * 1024;

/** In MiB; of the container's limit where there is one. */
export function halfOfTheMemory(): number {
  const limit = process.constrainedMemory();
  const available = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.max(64, Math.floor(available / 2 / MEBIBYTE));
}

export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be from ${min} to ${max}`)
    .meta({ accepts: `${min} to ${max}` });

export const decimal = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be from ${min} to ${max}`)
    .meta({ accepts: `${min} to ${max}, decimals allowed` });

export const quality = z
  .string()
  .transform((text) => (Object.hasOwn(QUALITY_TARGETS, text) ? QUALITY_TARGETS[text as never] : Number(text)))
  .refine(
    (score) => score >= 0.9 && score < 1,
    `must be one of ${Object.keys(QUALITY_TARGETS).join(', ')}, or a score from 0.9 to 0.9999`,
  )
  .meta({ accepts: `${Object.keys(QUALITY_TARGETS).join(', ')}, or a score from 0.9 to 0.9999` });

export const databaseUrl = z
  .string()
  .regex(
    /^(sqlite:.+|postgres(ql)?:\/\/.+)$/,
    'must be sqlite:<file> or postgres://user:password@host/database',
  )
  .meta({ accepts: 'sqlite:<file> or postgres://user:password@host/database' });

const isAddress = (text: string) => {
  const [address, bits, ...more] = text.trim().split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  const isMask = !bits || (/^\d+$/.test(bits) && Number(bits) <= most);
  return isIP(address) > 0 && more.length === 0 && isMask;
};

export const trustProxy = z
  .string()
  .refine(
    (text) => /^(off|on|\d+|loopback|linklocal|uniquelocal)$/.test(text) || text.split(',').every(isAddress),
    'must be off, on, a number of hops, or addresses of proxies',
  )
  .transform((text) =>
    text === 'off' ? false : text === 'on' ? true : /^\d+$/.test(text) ? Number(text) : text,
  )
  .meta({ accepts: 'off, on, a number of hops, or addresses of proxies separated by commas' });
