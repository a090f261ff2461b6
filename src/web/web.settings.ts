import { choice, settingsSlice } from '../environment/settings-slice';

export interface WebSettings {
  readonly isOn: boolean;
}

export const WEB_SETTINGS = Symbol('WebSettings');

export const webSlice = settingsSlice({
  token: WEB_SETTINGS,
  variables: {
    WEB: choice(['on', 'off']).prefault('on').describe('the page for people at /'),
  },
  read: (e): WebSettings => ({ isOn: e.WEB === 'on' }),
});
