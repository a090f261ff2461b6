import { z } from 'zod';
import { settingsSlice } from '../environment/settings-slice';

export interface WebSettings {
  /** Whether the page at / is served. */
  readonly isOn: boolean;
}

export const webSlice = settingsSlice({
  variables: {
    WEB: z.enum(['on', 'off']).prefault('on').describe('the page for people at /'),
  },
  read: (e): WebSettings => ({ isOn: e.WEB === 'on' }),
});
