/** How a setting or an option names the quality of results. */
import { z } from 'zod';
import { QUALITY_TARGETS } from './domain/compression-policy';

const TARGETS = `${Object.keys(QUALITY_TARGETS).join(', ')}, or a score from 0.9 to 0.9999`;

/** What qualityTarget accepts, for the OpenAPI document. */
export const QUALITY_PATTERN = `^(${Object.keys(QUALITY_TARGETS).join('|')}|0?\\.9\\d{0,9})$`;

/** A named quality or a score, as the target score. */
export const qualityTarget = z
  .string()
  .transform((text, context) => {
    if (Object.hasOwn(QUALITY_TARGETS, text)) return QUALITY_TARGETS[text as never];
    const score = Number(text);
    if (new RegExp(QUALITY_PATTERN).test(text)) return score;
    const hint = score >= 1 && score <= 100 ? '; it is not the quality of a JPG, from 1 to 100' : '';
    context.addIssue(`must be one of ${TARGETS}${hint}`);
    return z.NEVER;
  })
  .meta({ accepts: TARGETS });
