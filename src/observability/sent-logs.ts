/** The log as OpenTelemetry log records; loaded only if they are sent. */
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import type { AnyValueMap } from '@opentelemetry/api-logs';
import { SERVICE_NAME } from './tracing';

const SEVERITIES: Readonly<Record<string, SeverityNumber>> = {
  fatal: SeverityNumber.FATAL,
  error: SeverityNumber.ERROR,
  warn: SeverityNumber.WARN,
  info: SeverityNumber.INFO,
  debug: SeverityNumber.DEBUG,
};

export function sentLogs(resource: Resource) {
  const processors = [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })];
  const provider = new LoggerProvider({ resource, processors });
  const logger = provider.getLogger(SERVICE_NAME);
  return {
    /** The record is part of the trace of the request that wrote the line. */
    log(line: string): void {
      const { level, time, message, ...attributes } = JSON.parse(line) as AnyValueMap & {
        level: string;
        time: string;
      };
      logger.emit({
        timestamp: new Date(time),
        severityNumber: SEVERITIES[level],
        severityText: level,
        body: message,
        attributes,
      });
    },
    stop: () => provider.shutdown(),
  };
}
