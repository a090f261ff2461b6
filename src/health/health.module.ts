/**
 * Probes for orchestrators. Liveness checks the event loop alone; readiness also the database, the workers
 * and a shutdown, so that a replica that cannot work gets no requests but is not restarted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  ArgumentsHost,
  Catch,
  Controller,
  Get,
  ServiceUnavailableException,
  UseFilters,
  type ExceptionFilter,
  Module,
} from '@nestjs/common';
import {
  HealthCheck,
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
  TerminusModule,
} from '@nestjs/terminus';
import { AccountsModule } from '../accounts/accounts.module';
import { AccountRepository } from '../accounts/application/account-repository.port';
import { CompressionProbe } from '../compression/application/running/compression-probe';
import { CompressionRunner } from '../compression/application/running/compression-runner.port';
import { CompressionModule } from '../compression/compression.module';
import { exchangeOf, Lifecycle } from '../http/requests';
import { LimitStorage } from '../rate-limit/limit-storage';
import { RateLimitModule } from '../rate-limit/rate-limit.module';

/** A database that does not respond within this time counts as unavailable. */
const DATABASE_TIMEOUT_MS = 2_000;

/** The format of Terminus instead of a problem. */
@Catch(ServiceUnavailableException)
class TerminusShape implements ExceptionFilter<ServiceUnavailableException> {
  catch(failure: ServiceUnavailableException, host: ArgumentsHost) {
    exchangeOf(host).res.status(503).json(failure.getResponse());
  }
}

@Controller('health')
@UseFilters(TerminusShape)
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly accounts: AccountRepository,
    private readonly runner: CompressionRunner,
    private readonly probe: CompressionProbe,
    private readonly limits: LimitStorage,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** Succeeds if the event loop responds. It checks nothing else, so an unavailable database does not restart the process. */
  @Get('live')
  @HealthCheck({ noCache: false })
  live(): Promise<HealthCheckResult> {
    return this.health.check([]);
  }

  @Get('ready')
  @HealthCheck({ noCache: false })
  ready(): Promise<HealthCheckResult> {
    return this.health.check([
      () => this.accountStore(),
      () => this.compression(),
      // Always up: without Redis, the replica counts on its own.
      () => this.indicators.check('rate_limits').up({ store: this.limits.store }),
      () => this.notDraining(),
    ]);
  }

  private async accountStore(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('database');
    const ping = this.accounts.ping().then(
      () => true,
      () => false,
    );
    const isUp = await Promise.race([ping, pause(DATABASE_TIMEOUT_MS, false, { ref: false })]);
    if (!isUp) return indicator.down({ message: 'the database does not respond' });
    if (this.accounts.isInPlace()) return indicator.up();
    return indicator.down({ message: 'the database file was deleted or replaced' });
  }

  private async compression(): Promise<HealthIndicatorResult> {
    const verdict = await this.probe.check();
    const { ready, busy, queued, protection } = this.runner.state();
    const indicator = this.indicators.check('compression');
    const details = { verdict, workers: ready, busy, queued, sandbox: protection };
    return verdict === 'not working' ? indicator.down(details) : indicator.up(details);
  }

  private notDraining(): HealthIndicatorResult {
    const indicator = this.indicators.check('lifecycle');
    return this.lifecycle.isStopping ? indicator.down({ draining: true }) : indicator.up();
  }
}

@Module({
  imports: [TerminusModule.forRoot({ logger: false }), AccountsModule, CompressionModule, RateLimitModule],
  controllers: [HealthController],
})
export class HealthModule {}
