/** Whether the page for people is served. */
import { choice, settingsSlice } from '../environment/settings-slice';

export class WebSettings extends settingsSlice({
  variables: {
    WEB: choice(['on', 'off']).prefault('on').describe('the page for people at /'),
  },
  read: (e) => ({ isOn: e.WEB === 'on' }),
}) {}
