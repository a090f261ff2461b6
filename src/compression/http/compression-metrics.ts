/** What Prometheus reads about images, workers and memory. */
import { Injectable } from '@nestjs/common';
import { Metrics, SECONDS } from '../../observability/metrics';
import {
  CompressionRunner,
  PROTECTIONS,
  type RunResult,
} from '../application/running/compression-runner.port';
import { CompressionSettings } from '../compression.settings';
import { Admission } from './admission';

const QUALITIES = [30, 40, 50, 60, 70, 75, 80, 85, 90, 95];
const SCORES = [0.98, 0.985, 0.99, 0.9914, 0.9925, 0.995, 0.9975, 0.9999];
const ENCODES = [0, 1, 2, 3, 5, 8];

/** The label `format` is that of the result. */
@Injectable()
export class CompressionMetrics {
  private readonly measured;

  constructor(
    metrics: Metrics,
    runner: CompressionRunner,
    admission: Admission,
    settings: CompressionSettings,
  ) {
    const count = metrics.counter.bind(metrics);
    const seconds = (name: string, help: string, labels?: string[]) =>
      metrics.histogram(name, help, SECONDS, labels);
    this.measured = {
      images: count('images_total', 'Images returned with status 200.', ['format', 'outcome']),
      partial: count('partial_images_total', 'Images whose trials ended early, near the deadline.'),
      bytes: count('image_bytes_total', 'Bytes of images returned with status 200.', ['format', 'kind']),
      queueSeconds: seconds('queue_seconds', 'Time that images waited for a worker.'),
      runSeconds: seconds('run_seconds', 'Time that workers spent on images.'),
      megapixelSeconds: seconds(
        'megapixel_seconds',
        'Time from the upload to the result per megapixel; a smaller image counts as one megapixel.',
      ),
      suspendedSeconds: seconds(
        'suspended_seconds',
        'Time that images were suspended while others ran; also counted in queue_seconds.',
      ),
      stageSeconds: seconds('stage_seconds', 'Processing time of images, by stage.', ['format', 'stage']),
      qualities: metrics.histogram('jpeg_quality', 'Quality of compressed JPEGs.', QUALITIES),
      scores: metrics.histogram('score', 'Score of compressed images.', SCORES, ['format']),
      encodes: metrics.histogram('encodes', 'Full encodes per image.', ENCODES, ['format']),
    };
    gauges(metrics, runner, admission, settings);
  }

  image({ report, queueMs, ranMs, suspendedMs }: Omit<RunResult, 'bytes'>): void {
    const { measured } = this;
    const { format, skipReason, quality, score, originalSize, compressedSize, bytesSaved } = report;
    const { width, height } = report.originalDimensions;
    const megapixels = Math.max(1, (width * height) / 1e6);
    measured.images.inc({ format, outcome: skipReason ?? 'compressed' });
    if (report.partial) measured.partial.inc();
    measured.bytes.inc({ format, kind: 'in' }, originalSize);
    measured.bytes.inc({ format, kind: 'out' }, compressedSize);
    measured.bytes.inc({ format, kind: 'saved' }, bytesSaved);
    measured.queueSeconds.observe(queueMs / 1000);
    measured.runSeconds.observe(ranMs / 1000);
    measured.megapixelSeconds.observe((queueMs + ranMs) / 1000 / megapixels);
    measured.suspendedSeconds.observe(suspendedMs / 1000);
    for (const [stage, ms] of Object.entries(report.timings)) {
      measured.stageSeconds.observe({ format, stage }, ms / 1000);
    }
    measured.encodes.observe({ format }, report.encodes);
    // Encoders of other formats count on scales of their own.
    if (format === 'jpeg' && quality !== undefined) measured.qualities.observe(quality);
    if (!skipReason) measured.scores.observe({ format }, score);
  }
}

function gauges(
  metrics: Metrics,
  runner: CompressionRunner,
  admission: Admission,
  { pool, memory }: CompressionSettings,
) {
  const gauge = metrics.gauge.bind(metrics);
  const state = () => runner.state();
  gauge('workers', 'Configured worker processes.', () => pool.workers);
  gauge('workers_ready', 'Workers that have started.', () => state().ready);
  gauge('workers_busy', 'Workers that are compressing an image.', () => state().busy);
  gauge('images_suspended', 'Images that are suspended while others run.', () => state().suspended);
  metrics.total('workers_lost_total', 'Workers that ended unexpectedly.', () => state().workersLost);
  const label = ['protection', PROTECTIONS] as const;
  metrics.state('worker_sandbox', 'The sandbox of the workers.', label, () => state().protection);
  gauge('queue_depth', 'Images waiting for a worker.', () => state().queued);
  gauge('queue_limit', 'Images that may wait for a worker.', () => pool.queueLimit);
  gauge('upload_memory_bytes', 'Memory reserved for uploads and results.', () => admission.usedBytes);
  gauge(
    'upload_memory_limit_bytes',
    'Limit of the memory for uploads and results.',
    () => memory.uploadBytes,
  );
  gauge('pixel_memory_bytes', 'Memory reserved for images in progress.', () => state().pixelBytes);
  gauge('pixel_memory_limit_bytes', 'Limit of the memory for images in progress.', () => memory.pixelBytes);
}
