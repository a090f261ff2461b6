/** Settings for one command: the environment's, overridden by the command's options. */
import { MOST_DIMENSION_PX } from '../compression/domain/compression-policy';
import { SettingsFault } from '../environment/read-variables';
import { readSettings, type Settings } from '../settings/settings';
import { UsageFault } from './outcome';

/** The folder that file names are relative to: the user's, which npm hides from scripts. */
export const userFolder = process.env['ICS_USER_FOLDER'] ?? process.cwd();

/** Options and the settings that they override. They take the same values and are checked by the same rules. */
const SETTING_OF = {
  quality: 'QUALITY',
  effort: 'EFFORT',
  format: 'FORMAT',
  pngMode: 'PNG_MODE',
  pngDepth: 'PNG_DEPTH',
  maxDimension: 'MAX_DIMENSION_PX',
  minSavings: 'MIN_SAVINGS_PERCENT',
  keepMetadata: 'KEEP_METADATA',
  jobs: 'WORKERS',
} as const;

export type SettingOptions = { readonly [Option in keyof typeof SETTING_OF]?: string } & {
  /** Bytes that each result must fit into. */
  readonly maxBytes?: number;
  /** Whether the quality may fall below `low` for that, and the result may be larger if none fits. */
  readonly allow?: 'any';
};

/**
 * @throws SettingsFault about the environment, UsageFault about the options
 */
export function settingsWith(options: SettingOptions = {}): Settings {
  const typed = (Object.keys(SETTING_OF) as (keyof typeof SETTING_OF)[]).filter(
    (option) => options[option] !== undefined,
  );
  const overrides = Object.fromEntries(typed.map((option) => [SETTING_OF[option], options[option]]));
  try {
    return withRequest(readSettings({ ...process.env, ...overrides }), options);
  } catch (error) {
    if (!(error instanceof SettingsFault)) throw error;
    const faults = error.faults.flatMap(({ variable, value, rule }) => {
      const option = typed.find((one) => SETTING_OF[one] === variable);
      return option ? [`${flag(option)} ${value}: ${rule}`] : [];
    });
    throw faults.length > 0 ? new UsageFault(faults.join('\n')) : error;
  }
}

/** Adds what is asked of results and is not a setting. */
function withRequest(settings: Settings, { maxBytes, allow, maxDimension }: SettingOptions): Settings {
  if (maxBytes === undefined && allow !== undefined) {
    throw new UsageFault('--allow says what --max-bytes may cost: give both, or leave it out.');
  }
  const { compression } = settings;
  const policy = {
    ...compression.policy,
    ...(maxDimension === undefined ? {} : { usualMaxDimensionPx: MOST_DIMENSION_PX }),
    ...(maxBytes === undefined ? {} : { budget: { maxBytes, allowsAny: allow === 'any' } }),
  };
  return { ...settings, compression: { ...compression, policy } };
}

function flag(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
