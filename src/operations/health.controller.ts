import {
  ArgumentsHost,
  Catch,
  Controller,
  Get,
  ServiceUnavailableException,
  UseFilters,
  type ExceptionFilter,
} from '@nestjs/common';
import {
  HealthCheck,
  HealthCheckService,
  HealthIndicatorService,
  TypeOrmHealthIndicator,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import type { Response } from 'express';
import { CompressionRunner } from '../compression/application/compression-runner.port';
import { CompressionProbe } from '../compression/application/compression-probe';
import { LimitStorage } from '../rate-limit/limit-storage';
import { Lifecycle } from './lifecycle';

/** A store that does not answer within this time is as good as away. */
const DATABASE_TIMEOUT_MS = 2_000;

/** Probes keep the shape that Terminus users know, also when they fail. */
@Catch(ServiceUnavailableException)
class TerminusShape implements ExceptionFilter<ServiceUnavailableException> {
  catch(failure: ServiceUnavailableException, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(503).json(failure.getResponse());
  }
}

/** What orchestrators ask: is the process alive, and should it get traffic? */
@Controller('health')
@UseFilters(TerminusShape)
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: TypeOrmHealthIndicator,
    private readonly runner: CompressionRunner,
    private readonly probe: CompressionProbe,
    private readonly limits: LimitStorage,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** The event loop answers; nothing else is asked, so that a lost database does not get the process killed. */
  @Get('live')
  @HealthCheck({ noCache: false })
  live(): Promise<HealthCheckResult> {
    return this.health.check([]);
  }

  @Get('ready')
  @HealthCheck({ noCache: false })
  ready(): Promise<HealthCheckResult> {
    return this.health.check([
      () => this.database.pingCheck('database', { timeout: DATABASE_TIMEOUT_MS }),
      () => this.compression(),
      () => this.rateLimits(),
      () => this.notDraining(),
    ]);
  }

  private async compression(): Promise<HealthIndicatorResult> {
    const verdict = await this.probe.check();
    const { ready, busy, queued } = this.runner.state();
    const indicator = this.indicators.check('compression');
    const details = { verdict, workers: ready, busy, queued };
    return verdict === 'not working' ? indicator.down(details) : indicator.up(details);
  }

  /** Never a reason to take a replica out: without Redis it counts for itself. */
  private rateLimits(): HealthIndicatorResult {
    return this.indicators.check('rate_limits').up({ store: this.limits.store });
  }

  private notDraining(): HealthIndicatorResult {
    const indicator = this.indicators.check('lifecycle');
    return this.lifecycle.isStopping ? indicator.down({ draining: true }) : indicator.up();
  }
}
