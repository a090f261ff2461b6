/** Settings, options and commands of earlier releases. Each is refused, with a sentence that names its replacement. */

/** By the name of what was removed: the end of a sentence, or the sentence. */
type Rules = Readonly<Record<string, string>>;

export const REMOVED_SETTINGS: Rules = {
  SIGNUP_CODE: 'invitations were removed; set SIGNUP=closed and create accounts with "ics account create"',
  SIGNUP_CODE_FILE:
    'invitations were removed; set SIGNUP=closed and create accounts with "ics account create"',
  QUOTA_IMAGES_PER_MONTH: 'quotas were removed; read usage with "ics account usage" and suspend accounts',
  USAGE_MONTHS: 'was removed; usage is kept for 24 months',
  AUDIT_DAYS: 'the audit table was removed; keep the log lines about accounts and keys instead',
  PNG_MODE: 'was removed; set QUALITY=lossless where nothing may be lost',
  DENSITY: 'was removed; give each image its "density"',
  PNG_DEPTH: 'was removed; PNGs of 16 bits stay lossless, and "format" converts them in 8 bits',
  REFERENCE: 'was removed; results are compared with the upload',
  KEEP_COMPANIONS: 'was removed; gain maps are kept, other data after the image is not',
  SET_VARIANTS: 'sets over HTTP were removed; use "ics set" or the library',
  CACHE_MB: 'remembered results were removed; put a cache in front of the service',
  CACHE_DIR: 'remembered results were removed; put a cache in front of the service',
  TINIFY_STORE_MB: 'was removed; outputs are kept for an hour in the database, at most 1 GiB of them',
  URL_SOURCES: 'URL sources were removed; download the image and send its bytes',
};

/** Removed options of a request, a library call or a command, by their name over HTTP. */
export const REMOVED_OPTIONS: Rules = {
  png_mode: 'was removed; use the quality "lossless" where nothing may be lost',
  png_depth: 'was removed; PNGs of 16 bits stay lossless, and "format" converts them in 8 bits',
  reference: 'was removed; results are compared with the upload',
  companions: 'was removed; gain maps are kept, other data after the image is not',
  min_savings: 'was removed; set MIN_SAVINGS_PERCENT for the deployment, or use it with "ics check"',
};

export const REMOVED_ROUTES: Rules = {
  '/api/v1/sets': 'Sets over HTTP were removed; make them with "ics set" or the library.',
  '/api/v1/compare': 'Comparisons over HTTP were removed; use "ics compare" or the library.',
};

/** Removed commands of `ics`; of a group, with its name. */
export const REMOVED_COMMANDS: Rules = {
  audit: 'was removed; the log of the service has a line for each change of an account or a key',
  codec: 'was removed; in a checkout of the service, run "npm run -s conformance -- PACKAGE"',
  'account quota': 'was removed; read usage with "ics account usage" and suspend accounts',
};
