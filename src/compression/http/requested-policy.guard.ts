import {
  Inject,
  Injectable,
  createParamDecorator,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import type { CompressionPolicy } from '../domain/compression-policy';
import { unknownOption } from '../../contract/option-problems';
import { OPTIONS } from '../options/option-table';
import { OptionsReader } from './compress-options';

type OptionsRequest = Request & { policy?: CompressionPolicy };

/** Reads the options of the request before its body. */
@Injectable()
export class RequestedPolicyGuard implements CanActivate {
  private readonly options: OptionsReader;

  constructor(@Inject(COMPRESSION_SETTINGS) settings: CompressionSettings) {
    this.options = new OptionsReader(settings);
  }

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const req = http.getRequest<OptionsRequest>();
    // Types with q=0 are left out.
    const { policy, isNegotiated } = this.options.policyFrom(req.query, req.accepts());
    if (isNegotiated) http.getResponse<Response>().vary('Accept');
    req.policy = policy;
    return true;
  }
}

/** The same for a comparison, which has one option. */
@Injectable()
export class RequestedDensityGuard extends RequestedPolicyGuard {
  override canActivate(context: ExecutionContext): boolean {
    const { query } = context.switchToHttp().getRequest<Request>();
    const other = Object.keys(query).find((name) => name !== OPTIONS.density.parameter);
    if (other !== undefined) throw unknownOption(other, [OPTIONS.density.parameter]);
    return super.canActivate(context);
  }
}

/** The policy of the deployment with the options of this request. */
export const RequestedPolicy = createParamDecorator(
  (_: unknown, context: ExecutionContext): CompressionPolicy => {
    const { policy } = context.switchToHttp().getRequest<OptionsRequest>();
    if (!policy) throw new Error('RequestedPolicy needs the RequestedPolicyGuard on the same route');
    return policy;
  },
);
