/** The settings of log and metrics. Traces follow the variables of OpenTelemetry, which its SDK reads itself. */
import { z } from 'zod';
import { choice, integer, settingsSlice } from '../environment/settings-slice';

const OTLP_ENDPOINTS = ['', 'TRACES_', 'METRICS_', 'LOGS_'].map(
  (signal) => `OTEL_EXPORTER_OTLP_${signal}ENDPOINT`,
);
const isHttpUrl = (text: string) => /^https?:/.test(text) && URL.canParse(text);

export class ObservabilitySettings extends settingsSlice({
  variables: {
    LOG_LEVEL: choice(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
      .prefault('info')
      .describe('lowest level to log'),
    METRICS_PORT: z
      .union([z.literal('off').transform(() => undefined), integer(0, 65535)], {
        error: 'must be off, or 0 to 65535',
      })
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
  // Such a URL may contain a password, so the fault does not repeat it.
  faultsAtStart: (present) =>
    OTLP_ENDPOINTS.filter((variable) => !isHttpUrl(present[variable] ?? 'http://unset')).map((variable) => ({
      variable,
      rule: 'must be a URL such as http://collector:4318',
    })),
}) {}
