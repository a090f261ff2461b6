/** Whether the API for Tinify's clients is served. */
import { choice, settingsSlice } from '../environment/settings-slice';

export class TinifySettings extends settingsSlice({
  variables: {
    TINIFY_API: choice(['on', 'off'])
      .prefault('off')
      .describe('serves programs written for api.tinify.com: see docs/tinify.md'),
  },
  read: (e) => ({ isOn: e.TINIFY_API === 'on' }),
}) {}
