import type { IncomingHttpHeaders } from 'node:http';
import { Controller, Headers, Inject, Post, UseGuards } from '@nestjs/common';
import { noTrials, trialNotAsJson } from '../../contract/account-problems';
import { SignupRateLimitGuard } from '../../rate-limit/limit-guards';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from '../accounts.settings';
import { TrialsService, type IssuedTrial } from '../application/trials.service';

/** A few images without an e-mail address. The page opens trials for its visitors. */
@Controller('api/v1/trials')
export class TrialsController {
  constructor(
    @Inject(ACCOUNTS_SETTINGS) private readonly settings: AccountsSettings,
    private readonly trials: TrialsService,
  ) {}

  /** Counted by address; sign-ups count towards the same limit. */
  @Post()
  @UseGuards(SignupRateLimitGuard)
  open(@Headers() { origin, 'content-type': type = '' }: IncomingHttpHeaders): Promise<IssuedTrial> {
    // Browsers send this type to another origin only after a preflight, which CORS_ORIGINS answers.
    if (origin !== undefined && !/^application\/json\s*(;|$)/i.test(type)) throw trialNotAsJson();
    const { mode, trialImages } = this.settings.signup;
    if (mode !== 'open' || trialImages === 0) throw noTrials();
    return this.trials.open(trialImages);
  }
}
