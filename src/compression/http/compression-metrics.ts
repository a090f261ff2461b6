import { Inject, Injectable } from '@nestjs/common';
import { Metrics, SECONDS } from '../../observability/metrics';
import {
  CompressionRunner,
  PROTECTIONS,
  type RunResult,
} from '../application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import { UploadBudget } from './upload-budget';

const QUALITIES = [30, 40, 50, 60, 70, 75, 80, 85, 90, 95];
const SCORES = [0.98, 0.985, 0.99, 0.9914, 0.9925, 0.995, 0.9975, 0.9999];
const ENCODES = [0, 1, 2, 3, 5, 8];

/** Metrics of images, workers and their memory. The label `format` is that of the result. */
@Injectable()
export class CompressionMetrics {
  private readonly images;
  private readonly compared;
  private readonly remembered;
  private readonly bytes;
  private readonly queueSeconds;
  private readonly runSeconds;
  private readonly suspendedSeconds;
  private readonly stageSeconds;
  private readonly qualities;
  private readonly scores;
  private readonly encodes;

  constructor(
    metrics: Metrics,
    runner: CompressionRunner,
    uploads: UploadBudget,
    @Inject(COMPRESSION_SETTINGS) settings: CompressionSettings,
  ) {
    const count = metrics.counter.bind(metrics);
    const seconds = (name: string, help: string, labels?: string[]) =>
      metrics.histogram(name, help, SECONDS, labels);
    this.images = count('images_total', 'Images returned with status 200.', ['format', 'outcome']);
    this.compared = count('comparisons_total', 'Images compared with status 200.', ['format']);
    this.remembered = count(
      'remembered_images_total',
      'Images that were returned as a remembered result; also counted in images_total.',
    );
    this.bytes = count('image_bytes_total', 'Bytes of images returned with status 200.', ['format', 'kind']);
    this.queueSeconds = seconds('queue_seconds', 'Time that images waited for a worker.');
    this.runSeconds = seconds('run_seconds', 'Time that workers spent on images.');
    this.suspendedSeconds = seconds(
      'suspended_seconds',
      'Time that images were suspended while others ran; also counted in queue_seconds.',
    );
    this.stageSeconds = seconds('stage_seconds', 'Processing time of images, by stage.', ['format', 'stage']);
    this.qualities = metrics.histogram('jpeg_quality', 'Quality of compressed JPEGs.', QUALITIES);
    this.scores = metrics.histogram('score', 'Score of compressed images.', SCORES, ['format']);
    this.encodes = metrics.histogram('encodes', 'Full encodes per image.', ENCODES, ['format']);
    gaugeWorkers(metrics, runner, settings);
    gaugeMemory(metrics, runner, uploads, settings);
  }

  image({ report, queueMs, ranMs = 0, suspendedMs = 0, isRemembered }: Omit<RunResult, 'bytes'>): void {
    const { format, skipReason, quality, score, originalSize, compressedSize, bytesSaved } = report;
    if (report.comparison) this.compared.inc({ format });
    else {
      this.images.inc({ format, outcome: skipReason ?? 'compressed' });
      this.bytes.inc({ format, kind: 'in' }, originalSize);
      this.bytes.inc({ format, kind: 'out' }, compressedSize);
      this.bytes.inc({ format, kind: 'saved' }, bytesSaved);
    }
    // Comparisons are not remembered.
    if (isRemembered) return this.remembered.inc();
    this.queueSeconds.observe(queueMs / 1000);
    this.runSeconds.observe(ranMs / 1000);
    this.suspendedSeconds.observe(suspendedMs / 1000);
    if (report.comparison) return;
    for (const [stage, ms] of Object.entries(report.timings)) {
      this.stageSeconds.observe({ format, stage }, ms / 1000);
    }
    this.encodes.observe({ format }, report.encodes);
    // Encoders of other formats count on scales of their own.
    if (format === 'jpeg' && quality !== undefined) this.qualities.observe(quality);
    if (!skipReason) this.scores.observe({ format }, score);
  }
}

function gaugeWorkers(metrics: Metrics, runner: CompressionRunner, { pool }: CompressionSettings): void {
  const state = () => runner.state();
  metrics.gauge('workers', 'Configured worker processes.', () => pool.workers);
  metrics.gauge('workers_ready', 'Workers that have started.', () => state().ready);
  metrics.gauge('workers_busy', 'Workers that are compressing an image.', () => state().busy);
  metrics.gauge('images_suspended', 'Images that are suspended while others run.', () => state().suspended);
  metrics.total('workers_lost_total', 'Workers that ended unexpectedly.', () => state().workersLost);
  const confined = () => state().protection;
  metrics.state('worker_sandbox', 'The sandbox of the workers.', 'protection', PROTECTIONS, confined);
  metrics.gauge('queue_depth', 'Images waiting for a worker.', () => state().queued);
  metrics.gauge('queue_limit', 'Images that may wait for a worker.', () => pool.queueLimit);
}

function gaugeMemory(
  metrics: Metrics,
  runner: CompressionRunner,
  uploads: UploadBudget,
  { memory }: CompressionSettings,
): void {
  const gauge = metrics.gauge.bind(metrics);
  gauge('upload_memory_bytes', 'Memory reserved for uploads and results.', () => uploads.usedBytes);
  gauge(
    'upload_memory_limit_bytes',
    'Limit of the memory for uploads and results.',
    () => memory.uploadBytes,
  );
  gauge('pixel_memory_bytes', 'Memory reserved for images in progress.', () => runner.state().pixelBytes);
  gauge('pixel_memory_limit_bytes', 'Limit of the memory for images in progress.', () => memory.pixelBytes);
}
