import type { IncomingHttpHeaders } from 'node:http';
import { Controller, Headers, Inject, Ip, Post } from '@nestjs/common';
import { noTrials, trialNotAsJson } from '../../contract/account-problems';
import { SignupLimit } from '../../rate-limit/signup-limit';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from '../accounts.settings';
import { TrialsService, type IssuedTrial } from '../application/trials.service';

/** Trials: a few images without an e-mail address. The page opens them for its visitors. */
@Controller('api/v1/trials')
export class TrialsController {
  constructor(
    @Inject(ACCOUNTS_SETTINGS) private readonly settings: AccountsSettings,
    private readonly trials: TrialsService,
    private readonly limit: SignupLimit,
  ) {}

  /** Counted per address, together with sign-ups. */
  @Post()
  async open(@Headers() headers: IncomingHttpHeaders, @Ip() ip: string): Promise<IssuedTrial> {
    const { origin, 'sec-fetch-site': site, 'content-type': type = '' } = headers;
    const isBrowser = origin !== undefined || site !== undefined;
    // Browsers send this type to another origin only after a preflight, which CORS_ORIGINS answers.
    if (isBrowser && !/^application\/json\s*(;|$)/i.test(type)) throw trialNotAsJson();
    const { mode, trialImages } = this.settings.signup;
    if (mode !== 'open' || trialImages === 0) throw noTrials();
    return this.limit.within(ip, () => this.trials.open(trialImages));
  }
}
