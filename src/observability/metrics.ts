/**
 * The Prometheus registry. Metrics use base units (seconds, bytes); counters end in `_total`. Each capability adds its own;
 * docs/operating.md explains them. Label values come from closed sets and never from the client.
 */
import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Buckets for durations, in seconds. */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

@Injectable()
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name: `ics_${name}`, help, labelNames, registers: [this.registry] });
  }

  histogram(name: string, help: string, buckets: number[], labelNames: string[] = []): Histogram {
    return new Histogram({ name: `ics_${name}`, help, buckets, labelNames, registers: [this.registry] });
  }

  /** Adds a gauge; `read` returns its value at each scrape. */
  gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({
      name: `ics_${name}`,
      help,
      registers: [this.registry],
      collect: () => {
        gauge.set(read());
      },
    });
  }

  /** Adds a gauge that is 1 for one of several words, and 0 for the others; `read` returns the word at each scrape. */
  state(
    name: string,
    help: string,
    [label, words]: readonly [string, readonly string[]],
    read: () => string,
  ): void {
    const gauge: Gauge = new Gauge({
      name: `ics_${name}`,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect: () => {
        for (const word of words) gauge.set({ [label]: word }, word === read() ? 1 : 0);
      },
    });
  }

  /** Adds a counter; `read` returns its value at each scrape. The value must never decrease. */
  total(name: string, help: string, read: () => number): void {
    const counter: Counter = new Counter({
      name: `ics_${name}`,
      help,
      registers: [this.registry],
      collect: () => {
        counter.reset();
        counter.inc(read());
      },
    });
  }
}
