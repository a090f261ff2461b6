/**
 * Sends traces, metrics and logs over OTLP: the Prometheus registry with the same names and values, and the
 * lines of the log. Loaded only if a signal is sent.
 */
import { ValueType, type HrTime } from '@opentelemetry/api';
import { SeverityNumber, type AnyValueMap } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type HistogramMetricData,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { MetricObjectWithValues, MetricValueWithName, Registry } from 'prom-client';
import { SERVICE_NAME } from '../environment/version';

export function serviceResource(): Resource {
  const named = resourceFromAttributes({ 'service.name': SERVICE_NAME });
  return named.merge(detectResources({ detectors: [envDetector] }));
}

export function sentTraces(resource: Resource) {
  const spanProcessors = [new BatchSpanProcessor(new OTLPTraceExporter())];
  const provider = new NodeTracerProvider({ resource, spanProcessors });
  provider.register();
  return { stop: () => provider.shutdown() };
}

/** OpenTelemetry's own default. */
const INTERVAL_MS = 60_000;

type Metric = MetricObjectWithValues<MetricValueWithName<string>>;
type Times = { readonly startTime: HrTime; readonly endTime: HrTime };

/** @param interval OTEL_METRIC_EXPORT_INTERVAL, in milliseconds */
export function sentMetrics(resource: Resource, interval: string | undefined) {
  // Reads its variables now, before the secrets among them are removed from the environment.
  const exporter = new OTLPMetricExporter();
  let provider: MeterProvider | undefined;
  return {
    start(registry: Registry) {
      const reader = new PeriodicExportingMetricReader({
        exporter,
        exportIntervalMillis: Number(interval) || INTERVAL_MS,
        metricProducers: [createProducer(registry, resource)],
      });
      provider = new MeterProvider({ resource, readers: [reader] });
    },
    stop: () => provider?.shutdown(),
  };
}

function createProducer(registry: Registry, resource: Resource): MetricProducer {
  const startTime = hrTime(performance.timeOrigin);
  return {
    async collect() {
      const times = { startTime, endTime: hrTime(Date.now()) };
      const metrics = (await registry.getMetricsAsJSON()).map((metric) => asMetricData(metric, times));
      const scopeMetrics = [{ scope: { name: SERVICE_NAME }, metrics }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}

function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}

function asMetricData(metric: Metric, times: Times): MetricData {
  const { name, help, values } = metric;
  const base = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const dataPoints = () => values.map(({ value, labels }) => ({ ...times, attributes: labels, value }));
  // The types of prom-client declare numbers.
  switch (String(metric.type)) {
    case 'counter':
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: dataPoints() };
    case 'histogram':
      return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(metric, times) };
    default:
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: dataPoints() };
  }
}

/** Prometheus counts the values below each bound, OpenTelemetry those between two bounds. */
function histograms({ name, values }: Metric, times: Times): HistogramMetricData['dataPoints'] {
  const byLabels = new Map<string, Metric['values']>();
  for (const value of values) {
    // JSON leaves out undefined members.
    const key = JSON.stringify({ ...value.labels, le: undefined });
    byLabels.set(key, [...(byLabels.get(key) ?? []), value]);
  }
  return [...byLabels].map(([labels, members]) => {
    const buckets = members.filter(({ metricName }) => metricName === `${name}_bucket`);
    const named = (suffix: string) =>
      members.find(({ metricName }) => metricName === name + suffix)?.value ?? 0;
    return {
      ...times,
      attributes: JSON.parse(labels) as Record<string, string>,
      value: {
        // The last bound is +Inf, which OpenTelemetry leaves out.
        buckets: {
          boundaries: buckets.slice(0, -1).map(({ labels: { le } }) => Number(le)),
          counts: buckets.map(({ value }, i) => value - (buckets[i - 1]?.value ?? 0)),
        },
        sum: named('_sum'),
        count: named('_count'),
      },
    };
  });
}

export function sentLogs(resource: Resource) {
  const processors = [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })];
  const provider = new LoggerProvider({ resource, processors });
  const logger = provider.getLogger(SERVICE_NAME);
  return {
    /** The record is part of the trace of the request that wrote the line. */
    log(line: string) {
      const { level, time, message, ...attributes } = JSON.parse(line) as AnyValueMap & {
        level: string;
        time: string;
      };
      logger.emit({
        timestamp: new Date(time),
        severityNumber: SeverityNumber[level.toUpperCase() as keyof typeof SeverityNumber],
        severityText: level,
        body: message,
        attributes,
      });
    },
    stop: () => provider.shutdown(),
  };
}
