import {
  Inject,
  Injectable,
  createParamDecorator,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';
import { invalidOption } from '../../contract/option-problems';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import type { CompressionPolicy } from '../domain/compression-policy';
import type { SetFormats, SetOptions } from '../domain/sets/set-plan';
import { SHOWN_BY_BROWSERS } from '../options/chosen';
import { SET_OPTION_NAMES, SetOptionFault, setOptionsFrom, type SetTexts } from '../options/set-options';
import { OptionsReader } from './compress-options';

/** What a request asks of a set. */
export interface AskedSet {
  readonly options: SetOptions;
  readonly policy: CompressionPolicy;
}

type SetRequest = Request & { set?: AskedSet };

/** Reads the options of a set before the body. */
@Injectable()
export class RequestedSetGuard implements CanActivate {
  private readonly reader: OptionsReader;

  constructor(@Inject(COMPRESSION_SETTINGS) private readonly settings: CompressionSettings) {
    this.reader = new OptionsReader(settings, SET_OPTION_NAMES);
  }

  canActivate(context: ExecutionContext): boolean {
    const req = context.switchToHttp().getRequest<SetRequest>();
    const query = Object.entries(req.query as Record<string, unknown>);
    const isOfSet = ([name]: [string, unknown]) => (SET_OPTION_NAMES as string[]).includes(name);
    const others = Object.fromEntries(query.filter((entry) => !isOfSet(entry)));
    const texts: SetTexts = Object.fromEntries(query.filter(isOfSet).map(asText));
    if ('max_dimension' in others) throw invalidOption('max_dimension', 'has no effect here; use "widths"');
    if ('density' in others && texts.densities !== undefined)
      throw invalidOption('density', 'cannot be combined with "densities"');
    const { policy, isNegotiated } = this.reader.policyFrom(others);
    const formats = isNegotiated ? SHOWN_BY_BROWSERS : (policy.formats ?? ['same']);
    req.set = { options: this.optionsFrom(texts, formats), policy: { ...policy, formats } };
    return true;
  }

  private optionsFrom(texts: SetTexts, formats: SetFormats): SetOptions {
    try {
      return setOptionsFrom(texts, formats, this.settings.setVariants);
    } catch (error) {
      if (!(error instanceof SetOptionFault)) throw error;
      throw invalidOption(error.option, error.rule);
    }
  }
}

function asText([name, value]: [string, unknown]): [string, string] {
  if (typeof value !== 'string') throw invalidOption(name, 'must be given once');
  return [name, value];
}

function setOf(req: Request): AskedSet {
  const { set } = req as SetRequest;
  if (!set) throw new Error('This route needs the RequestedSetGuard');
  return set;
}

/** The set that the request asks for. */
export const RequestedSet = createParamDecorator((_: unknown, context: ExecutionContext): AskedSet =>
  setOf(context.switchToHttp().getRequest()),
);
