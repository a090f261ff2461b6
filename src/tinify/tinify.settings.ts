import { isIP } from 'node:net';
import { z } from 'zod';
import { MEBIBYTE } from '../contract/units';
import { integer, settingsSlice, type SettingsOf } from '../environment/settings-slice';

/** A host that images may be fetched from. */
export interface SourceHost {
  /** In lower case: a name, or `.example.com` for all names below it. */
  readonly name: string;
  /** The only port that may be used; 80 for http and 443 for https if absent. */
  readonly port?: number;
}

/** Injection token: TinifySettings. */
export const TINIFY_SETTINGS = Symbol('TinifySettings');

const HOST = /^(\*\.)?([a-z\d]([a-z\d-]*[a-z\d])?\.)*[a-z\d]([a-z\d-]*[a-z\d])?(:\d{1,5})?$/;
const HOSTS =
  'names of hosts such as images.example.com, *.example.com or example.com:8443, separated by commas';

const listed = (text: string) => text.split(',').map((host) => host.trim().toLowerCase());

function isHost(text: string): boolean {
  const [name, port = '443'] = text.split(':');
  return HOST.test(text) && isIP(name) === 0 && Number(port) > 0 && Number(port) < 65_536;
}

function toSource(text: string): SourceHost {
  const [name, port] = text.split(':');
  return { name: name.replace(/^\*/, ''), ...(port ? { port: Number(port) } : {}) };
}

export const tinifySlice = settingsSlice({
  token: TINIFY_SETTINGS,
  variables: {
    TINIFY_API: z
      .enum(['on', 'off'])
      .prefault('off')
      .describe('serves programs written for api.tinify.com: see docs/tinify.md'),
    TINIFY_STORE_MB: integer(64, 1_048_576)
      .prefault('1024')
      .describe('MiB of uploads and results that TINIFY_API stores'),
    URL_SOURCES: z
      .string()
      .refine((text) => listed(text).every(isHost), `must be ${HOSTS}`)
      .optional()
      .meta({ accepts: HOSTS })
      .describe('hosts from which TINIFY_API may fetch images'),
  },
  read: (e) => ({
    isOn: e.TINIFY_API === 'on',
    sources: e.URL_SOURCES === undefined ? [] : listed(e.URL_SOURCES).map(toSource),
    storeBytes: e.TINIFY_STORE_MB * MEBIBYTE,
  }),
});

export type TinifySettings = SettingsOf<typeof tinifySlice>;
