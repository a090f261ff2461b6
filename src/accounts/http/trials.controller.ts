import { Controller, Inject, Post, UseGuards } from '@nestjs/common';
import { noTrials } from '../../contract/account-problems';
import { SignupRateLimitGuard } from '../../rate-limit/signup-rate-limit.guard';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from '../accounts.settings';
import { TrialsService, type IssuedTrial } from '../application/trials.service';

/** A few images without an e-mail address: what the page opens for visitors by itself. */
@Controller('api/v1/trials')
export class TrialsController {
  constructor(
    @Inject(ACCOUNTS_SETTINGS) private readonly settings: AccountsSettings,
    private readonly trials: TrialsService,
  ) {}

  /** Counted by address together with sign-ups. */
  @Post()
  @UseGuards(SignupRateLimitGuard)
  open(): Promise<IssuedTrial> {
    const { mode, trialImages } = this.settings.signup;
    if (mode !== 'open' || trialImages === 0) throw noTrials();
    return this.trials.open(trialImages);
  }
}
