/** Whether the page for people is served. */
import { choice, settingsSlice, type SettingsOf } from '../environment/settings-slice';

export const WEB_SETTINGS = Symbol('WebSettings');

export const webSlice = settingsSlice({
  token: WEB_SETTINGS,
  variables: {
    WEB: choice(['on', 'off']).prefault('on').describe('the page for people at /'),
  },
  read: (e) => ({ isOn: e.WEB === 'on' }),
});

export type WebSettings = SettingsOf<typeof webSlice>;
