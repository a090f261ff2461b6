/** The policy of a service with the default settings. */
import { readSettings } from '../../src/settings/settings';

export const { policy } = readSettings({}).compression;
