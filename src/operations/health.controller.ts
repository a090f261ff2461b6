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
      () => this.compressionPool(),
      () => this.notDraining(),
    ]);
  }

  private compressionPool(): HealthIndicatorResult {
    const { ready, busy, queued } = this.runner.state();
    const indicator = this.indicators.check('compression');
    return ready > 0
      ? indicator.up({ workers: ready, busy, queued })
      : indicator.down({ workers: 0, queued });
  }

  private notDraining(): HealthIndicatorResult {
    const indicator = this.indicators.check('lifecycle');
    return this.lifecycle.isDraining ? indicator.down({ draining: true }) : indicator.up();
  }
}
