import { EventEmitter } from 'node:events';
import { optionParameters, OptionsReader } from '../../../../src/compression/http/compress-options';
import { problemResponses } from '../../../../src/contract/documented-operation';
import { malformedRequest, missingHost } from '../../../../src/contract/service-problems';
import { readSettings } from '../../../../src/settings/settings';
import { partOf } from '../../../support/part-of';

const { compression } = readSettings({});
const options = new OptionsReader(compression);
const patternOf = (name: string) => {
  const { schema } = optionParameters(compression).find((parameter) => parameter.name === name) ?? {};
  return new RegExp((schema as { pattern: string }).pattern);
};
const isAccepted = (query: object) => {
  try {
    return Boolean(options.policyFrom(query));
  } catch {
    return false;
  }
};

it.each([
  [
    'max_bytes',
    ['200000', '200kB', '200KB', '1.5 mb', '1MiB', '7b'],
    ['many', '200 GB', '', '1e5', '-1', 'kB'],
  ],
  ['quality', ['low', 'very-high', '0.9', '0.9914', '.95'], ['77', '1', '0.89', 'HIGH', '9e-1', '', '0.9x']],
])('the pattern of %s in the OpenAPI document accepts what the service accepts', (name, good, bad) => {
  const matches = (text: string) => [text, patternOf(name).test(text), isAccepted({ [name]: text })];
  expect(good.map(matches)).toEqual(good.map((text) => [text, true, true]));
  expect(bad.map(matches)).toEqual(bad.map((text) => [text, false, false]));
});

it.each([
  [{ allow: 'any' }, 'The parameter "allow" needs "max_bytes"'],
  [{ max_bytes: '0.5' }, 'The parameter "max_bytes" must be a size of 1 byte or more.'],
  [{ max_bytes: '9'.repeat(20) }, 'The parameter "max_bytes" must be at most 9007199254740991 bytes.'],
  [{ max_dimension: '9'.repeat(20) }, 'The parameter "max_dimension" must be an integer from 16 to 3840'],
])('%j has a sentence of its own', (query, sentence) => {
  expect(() => options.policyFrom(query)).toThrow(sentence);
});

describe('options of the query, and fields after the body', () => {
  const request = () => partOf<Parameters<typeof options.add>[1]>({ accepts: () => [], context: {} });
  const add = (parameters: object, req = request()) =>
    options.add(parameters, req, partOf(new EventEmitter()));

  it('are merged, whichever of two that belong together comes first', () => {
    for (const [query, fields] of [
      [{ max_bytes: '5kB' }, { allow: 'any', effort: 'max' }],
      [{ max_bytes: '5kB', effort: 'max' }, { allow: 'any' }],
    ]) {
      const req = request();
      expect(add(query, req).byteLimit).toEqual({ maxBytes: 5000, allowsAny: false });
      expect(add(fields, req)).toMatchObject({
        byteLimit: { maxBytes: 5000, allowsAny: true },
        effort: 'max',
        targetScore: compression.policy.targetScore,
      });
    }
  });

  it('are refused if they are given in both, or conflict', () => {
    const req = request();
    add({ quality: 'lossless' }, req);
    expect(() => add({ quality: 'low' }, req)).toThrow('"quality" must be given once');
    expect(() => add({ density: '2' }, req)).toThrow('"density" cannot be combined');
    expect(() => add({ constructor: 'x' })).toThrow('no parameter "constructor"');
  });
});

it('lists each code of a status once', () => {
  const { 400: response } = problemResponses([missingHost(), malformedRequest()]) as Record<number, object>;
  expect(response).toMatchObject({
    description: '`invalid_request`: The request cannot be understood.',
    content: {
      'application/problem+json': {
        schema: { allOf: [{}, { properties: { code: { enum: ['invalid_request'] } } }] },
      },
    },
  });
});
