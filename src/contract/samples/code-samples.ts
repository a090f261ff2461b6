/** Code samples of the OpenAPI document: every operation in five languages. */
import { curl } from './curl';
import { go } from './go';
import { javascript } from './javascript';
import { php } from './php';
import { python } from './python';
import type { SampledOperation } from './sampled-operation';

interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** The value of `x-codeSamples`. */
export function codeSamples(operation: SampledOperation): CodeSample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(operation) },
    { lang: 'JavaScript', label: 'JavaScript (fetch)', source: javascript(operation) },
    { lang: 'Python', label: 'Python (requests)', source: python(operation) },
    { lang: 'PHP', label: 'PHP (curl)', source: php(operation) },
    { lang: 'Go', label: 'Go', source: go(operation) },
  ];
}
