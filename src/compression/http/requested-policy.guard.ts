import {
  Inject,
  Injectable,
  createParamDecorator,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import type { CompressionPolicy } from '../domain/compression-policy';
import { OptionsReader } from './compress-options';

type OptionsRequest = Request & { policy?: CompressionPolicy };

/** Reads the options of the request, before its body is. */
@Injectable()
export class RequestedPolicyGuard implements CanActivate {
  private readonly options: OptionsReader;

  constructor(@Inject(COMPRESSION_SETTINGS) { policy }: CompressionSettings) {
    this.options = new OptionsReader(policy);
  }

  canActivate(context: ExecutionContext): boolean {
    const req = context.switchToHttp().getRequest<OptionsRequest>();
    req.policy = this.options.policyFrom(req.query);
    return true;
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
