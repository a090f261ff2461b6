import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { temporaryFolder } from '../../support/folders';
import { SettingsFault, settingsSlice } from '../../../src/environment/settings-slice';
import {
  misspeltSettings,
  readServiceSettings,
  readSettings,
  readSlices,
  settingsReference,
  SLICES,
} from '../../../src/settings/settings';
import { ORDINARY_ENVIRONMENTS } from '../../support/ordinary-environments';

function faultOf(env: Record<string, string>, read: (env: Record<string, string>) => unknown = readSettings) {
  try {
    read(env);
  } catch (error) {
    return error as SettingsFault;
  }
  throw new Error('No fault.');
}

it('has the published defaults', () => {
  expect(readSettings({})).toMatchObject({
    http: { port: 3000, host: '0.0.0.0', trustProxy: false, corsOrigins: [] },
    accounts: { databaseUrl: 'sqlite:./data/service.db', signup: { mode: 'open' } },
    rateLimit: { imagesPerMinute: 20 },
    compression: {
      maxUploadBytes: 20 * 1024 * 1024,
      policy: {
        maxDimensionPx: 3840,
        maxPixels: 268e6,
        targetScore: 0.9914,
        minSavingsRatio: 0.02,
        keepMetadata: 'none',
      },
    },
  });
});

it('registers JPEG XL where it is installed, once', () => {
  for (const FORMAT_MODULES of ['none', 'image-compression-jxl']) {
    const { formatModules, knownFormats } = readSettings({ FORMAT_MODULES, FORMAT: 'jxl' }).compression;
    expect(formatModules.map(({ manifest }) => manifest.format?.name)).toEqual(['jxl']);
    expect(knownFormats.names).toContain('jxl');
  }
});

it('counts what is wrong', () => {
  expect(() => readSettings({ PORT: 'x' })).toThrow(/^The environment has an error:\n {2}- PORT=x: [^\n]+$/);
  expect(() => readSettings({ PORT: 'x', EFFORT: 'y' })).toThrow(/^The environment has 2 errors:\n/);
  // The formats of a package are unknown until it is found.
  expect(() => readSettings({ FORMAT_MODULES: '/nonexistent', FORMAT: 'jxl' })).toThrow(
    /^The environment has an error:\n {2}- FORMAT_MODULES=/,
  );
});

it('asks every slice for conflicts, a new one too', () => {
  const fonts = settingsSlice({
    variables: { FONTS: z.string().optional() },
    read: ({ FONTS }) => ({ folder: FONTS }),
    conflicts: ({ FONTS, WEB }) =>
      FONTS && WEB === 'off' ? [{ variable: 'FONTS', value: FONTS, rule: 'needs WEB=on' }] : [],
  });
  const slices = { ...SLICES, fonts };
  expect(readSlices(slices, { FONTS: 'a' })).toMatchObject({ fonts: { folder: 'a' }, http: { port: 3000 } });
  const env = { FONTS: 'a', WEB: 'off', FORMAT: 'odd' };
  expect(() => readSlices(slices, env)).toThrow(/2 errors:.*FORMAT=odd.*FONTS=a: needs WEB=on/s);
});

it('is frozen through and through', () => {
  const settings = readSettings({});
  const { policy } = settings.compression as { policy: { effort: string } };
  expect(() => {
    policy.effort = 'max';
  }).toThrow(TypeError);
  expect(() => {
    settings.http.corsOrigins.push('https://example.com');
  }).toThrow(TypeError);
});

it('takes levels and scores for the quality', () => {
  const scoreOf = (QUALITY: string) => readSettings({ QUALITY }).compression.policy.targetScore;
  const levels = ['low', 'medium', 'high', 'very-high'];
  expect(levels.map(scoreOf)).toEqual([0.983, 0.9874, 0.9914, 0.9953]);
  const taken = ['.9', '0.900', '0.95', '0.9914000000000001', '0.99899', '0.99989', '0.9999', '0.999900'];
  expect(taken.map(scoreOf)).toEqual(taken.map(Number));
  for (const score of ['0.89999', '0.99990001', '0.99991', '0.99999', '0.999999999', '1', '0.9.', '0.9x'])
    expect(() => scoreOf(score)).toThrow('or a score from 0.9 to 0.9999');
});

it('says what replaces invitations', () => {
  const sentence =
    'invitations were removed; set SIGNUP=closed and create accounts with "ics account create"';
  expect(() => readSettings({ SIGNUP: 'invite' })).toThrow(`SIGNUP=invite: ${sentence}`);
  expect(() => readSettings({ SIGNUP: 'closed', SIGNUP_CODE_FILE: '/c' })).toThrow(
    `SIGNUP_CODE_FILE: ${sentence}`,
  );
});

it('closes sign-up where no key is needed, unless it is open by name', () => {
  expect(readSettings({ AUTH: 'off' }).accounts).toMatchObject({
    needsKey: false,
    signup: { mode: 'closed' },
  });
  expect(() => readSettings({ AUTH: 'off', SIGNUP: 'open', API_KEYS_FILE: '/k' })).toThrow(
    /SIGNUP=open: cannot be combined with AUTH=off.*API_KEYS_FILE=\/k: has no effect with AUTH=off/s,
  );
});

it('treats an empty variable as not set', () => {
  expect(readSettings({ PORT: '', QUALITY: '' }).http.port).toBe(3000);
});

it('reports every fault at once, by name', () => {
  const environment = {
    PORT: 'abc',
    QUALITY: 'best',
    DATABASE_URL: 'mysql://x',
    WORKERS: '0',
    SIGNUP: 'invite',
    MAX_UPLOAD_MB: '-1',
  };
  expect(
    faultOf(environment)
      .faults.map(({ variable, value }) => [variable, value])
      .sort(),
  ).toEqual([
    ['DATABASE_URL', undefined],
    ['MAX_UPLOAD_MB', '-1'],
    ['PORT', 'abc'],
    ['QUALITY', 'best'],
    ['SIGNUP', 'invite'],
    ['WORKERS', '0'],
  ]);
});

it('repeats no password in its messages', () => {
  expect(() => readSettings({ DATABASE_URL: 'postgre://u:secret@h/d', SIGNUP_CODE: 'geheim' })).toThrow(
    expect.objectContaining({ message: expect.not.stringMatching(/secret|geheim/) as string }) as Error,
  );
});

it.each(['1', '10.0.0.0/8', '127.0.0.1, ::1', 'loopback'])('takes TRUST_PROXY=%s', (TRUST_PROXY) => {
  expect(readSettings({ TRUST_PROXY }).http.trustProxy).toBeTruthy();
});

it.each(['on', 'yes', '1.2.3', '10.0.0.0/99', '0.0.0.0/0', '10.0.0.1/', 'a.example.com'])(
  'refuses TRUST_PROXY=%s',
  (TRUST_PROXY) => {
    expect(() => readSettings({ TRUST_PROXY })).toThrow(SettingsFault);
  },
);

it('trusts nobody with TRUST_PROXY=0', () => {
  expect(readSettings({ TRUST_PROXY: '0' }).http.trustProxy).toBe(false);
});

it('names secret files that it cannot use, without repeating their content', () => {
  const folder = temporaryFolder();
  const empty = join(folder, 'empty');
  const wrong = join(folder, 'wrong');
  writeFileSync(empty, '\n');
  writeFileSync(wrong, 'mysql://user:password@host');
  const faultsOf = (env: Record<string, string>) => faultOf(env).message;
  expect(faultsOf({ DATABASE_URL_FILE: '/no/such/file' })).toMatch(
    /^ {2}- DATABASE_URL_FILE=\/no\/such\/file: cannot be read \(ENOENT\)$/m,
  );
  expect(faultsOf({ REDIS_URL_FILE: empty })).toContain('the file is empty');
  expect(faultsOf({ REDIS_URL: 'redis://a', REDIS_URL_FILE: empty })).toContain('REDIS_URL is set, too');
  const fault = faultsOf({ DATABASE_URL_FILE: wrong });
  expect(fault).toMatch(/^ {2}- DATABASE_URL: must be/m);
  expect(fault).not.toContain('mysql');
});

const suggestionsFor = (names: string[]) =>
  misspeltSettings(Object.fromEntries(names.map((name) => [name, 'x']))).map(
    ({ variable, rule }) => `${variable} ${rule}`,
  );

it('suggests the setting for a variable with one edit, or with its words in another number or order', () => {
  const meant = {
    QUALTY: 'QUALITY',
    EFFFORT: 'EFFORT',
    EFFIRT: 'EFFORT',
    FORMTA: 'FORMAT',
    SIGN_UP: 'SIGNUP',
    LOGLEVEL: 'LOG_LEVEL',
    workers: 'WORKERS',
    WORKER: 'WORKERS',
    QUALITIES: 'QUALITY',
    TRUST_PROXIES: 'TRUST_PROXY',
    ORIGIN_CORS: 'CORS_ORIGINS',
    API_FILE_KEY: 'API_KEYS_FILE',
    PER_MINUTES_RATE_LIMIT: 'RATE_LIMIT_PER_MINUTE',
    REDIS_URL_FIEL: 'REDIS_URL_FILE',
    HOSTS: 'HOST',
  };
  expect(suggestionsFor(Object.keys(meant))).toEqual(
    Object.entries(meant).map(([given, setting]) => `${given} is not a setting; did you mean ${setting}?`),
  );
});

it('suggests nothing for settings, removed settings, short names, two edits, and other words', () => {
  expect(suggestionsFor(['QUALITY', 'DATABASE_URL_FILE', 'POTR', 'SIGGNUPP', 'API_KEYS', 'LIMIT'])).toEqual(
    [],
  );
  expect(misspeltSettings({ USAGE_MONTHS: '1', SIGNUPS: '', QUALTY: undefined })).toEqual([]);
});

it.each(Object.entries(ORDINARY_ENVIRONMENTS))('takes nothing for a misspelt setting: %s', (_, env) => {
  expect(Object.keys(env).length).toBeGreaterThan(15);
  expect(misspeltSettings(env)).toEqual([]);
  expect(readServiceSettings(env)).toEqual(readServiceSettings({}));
});

it('refuses to start if an access control is misspelt, with all other faults', () => {
  const env = {
    ...{ SIGNUPS: 'closed', API_KEY_FILE: '/k', CORS_ORIGIN: 'https://a.example', TRUST_PROXYS: '1' },
    ...{ WORKER: '1', PORT: 'x', OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://u:secret@' },
  };
  expect(faultOf(env, readServiceSettings).message.split('\n').sort()).toEqual([
    '  - API_KEY_FILE: is not a setting; did you mean API_KEYS_FILE?',
    '  - CORS_ORIGIN: is not a setting; did you mean CORS_ORIGINS?',
    '  - OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: must be a URL such as http://collector:4318',
    '  - PORT=x: must be an integer',
    '  - SIGNUPS: is not a setting; did you mean SIGNUP?',
    '  - TRUST_PROXYS: is not a setting; did you mean TRUST_PROXY?',
    'The environment has 6 errors:',
  ]);
  // A command runs where the environment belongs to other programs.
  expect(faultOf(env).faults).toMatchObject([{ variable: 'PORT' }]);
});

it.each(['collector:4318', 'collector', 'grpc://collector:4317', 'http://', 'http://collector:99999'])(
  'refuses OTEL_EXPORTER_OTLP_ENDPOINT=%s',
  (url) =>
    expect(() => readServiceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).toThrow(/must be a URL such as/),
);

it('takes OTLP addresses', () => {
  for (const url of ['http://collector:4318', 'https://otlp.example.com/v1', 'http://[::1]:4318/'])
    expect(() => readServiceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).not.toThrow();
});

it('takes origins as browsers send them', () => {
  const origins = [
    'https://a.example.com',
    'http://localhost:5173',
    'http://[::1]:3000',
    'capacitor://localhost',
  ];
  expect(readSettings({ CORS_ORIGINS: ` ${origins.join(' , ')},` }).http.corsOrigins).toEqual(origins);
});

it.each([
  ...['*', 'null', 'a.example.com', 'https://', 'https://a.example.com/', 'https://a.example.com:443'],
  ...[
    'https://A.example.com',
    'https://a.example.com https://b.example.com',
    'https://u@a.example.com',
    'app://x/y',
  ],
])('refuses CORS_ORIGINS=%s', (origin) => {
  expect(() => readSettings({ CORS_ORIGINS: `https://b.example.com,${origin}` })).toThrow(
    /must be origins such as/,
  );
});

it('says in its own words what every setting accepts', () => {
  const rules = settingsReference().flatMap(({ name }) =>
    ['x y:z', '-1', '1e99'].flatMap((value) => {
      try {
        readSettings({ [name]: value });
        return [];
      } catch (error) {
        return (error as SettingsFault).faults.map(({ rule }) => rule);
      }
    }),
  );
  expect(rules.length).toBeGreaterThan(50);
  expect(rules.filter((rule) => /invalid|expected|received/i.test(rule))).toEqual([]);
  expect(rules).toContain('must be one of fatal, error, warn, info, debug, silent');
});
