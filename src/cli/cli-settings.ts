/** Settings for one command: the environment's, overridden by the command's options. */
import { policyForOne } from '../compression/options/chosen';
import { SettingsFault } from '../environment/settings-slice';
import { readSettings, type Settings } from '../settings/settings';
import { RECIPE_OPTIONS } from './images/options';
import { UsageFault } from './outcome';

/** What was typed. Options that are settings take the same values, and are checked by the same rules. */
export interface SettingOptions {
  readonly maxDimension?: string;
  /** Bytes that each result must fit into. */
  readonly maxBytes?: number;
  /** Whether the quality may fall below `low` for that, and the result may be larger if none fits. */
  readonly allow?: 'any';
  readonly [option: string]: unknown;
}

/**
 * @throws SettingsFault about the environment, UsageFault about the options
 */
export function settingsWith(options: SettingOptions = {}): Settings {
  const typed = RECIPE_OPTIONS.flatMap(({ option, variable }) => {
    const text = options[option.attributeName()];
    return variable !== undefined && typeof text === 'string'
      ? [{ name: option.name(), variable, text }]
      : [];
  });
  const overrides = Object.fromEntries(typed.map(({ variable, text }) => [variable, text]));
  try {
    return withRequest(readSettings({ WORKER_SANDBOX: 'off', ...process.env, ...overrides }), options);
  } catch (error) {
    if (!(error instanceof SettingsFault)) throw error;
    const faults = error.faults.flatMap(({ variable, rule }) =>
      typed.filter((one) => one.variable === variable).map(({ name, text }) => `--${name} ${text}: ${rule}`),
    );
    throw faults.length > 0 ? new UsageFault(faults.join('\n')) : error;
  }
}

/** Adds the options of results that are not settings. */
function withRequest(settings: Settings, options: SettingOptions): Settings {
  const { maxBytes, allow, maxDimension } = options;
  if (maxBytes === undefined && allow !== undefined) {
    throw new UsageFault('--allow says what --max-bytes may cost: give both, or leave it out.');
  }
  const { compression } = settings;
  const policy = policyForOne(compression.policy, { maxBytes, allow }, maxDimension !== undefined);
  return { ...settings, compression: { ...compression, policy } };
}
