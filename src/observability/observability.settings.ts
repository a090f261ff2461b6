import { z } from 'zod';
import { integer, settingsSlice, type SettingsOf } from '../environment/settings-slice';

export const OBSERVABILITY_SETTINGS = Symbol('ObservabilitySettings');

export const observabilitySlice = settingsSlice({
  token: OBSERVABILITY_SETTINGS,
  variables: {
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
      .prefault('info')
      .describe('lowest level to log'),
    METRICS_PORT: z
      .union([z.literal('off').transform(() => undefined), integer(0, 65535)])
      .prefault('off')
      .describe('port that serves GET /metrics for Prometheus; 0 picks a free one')
      .meta({ accepts: 'off, or 0 to 65535' }),
    METRICS_HOST: z
      .string()
      .min(1)
      .prefault('127.0.0.1')
      .describe('address to listen on for GET /metrics; 0.0.0.0 where Prometheus runs on another machine'),
  },
  read: (e) => ({
    logLevel: e.LOG_LEVEL,
    metricsPort: e.METRICS_PORT,
    metricsHost: e.METRICS_HOST,
  }),
});

export type ObservabilitySettings = SettingsOf<typeof observabilitySlice>;
