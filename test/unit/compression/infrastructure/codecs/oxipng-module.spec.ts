import { readFileSync } from 'node:fs';
import { WebAssembly } from '../../../../../src/compression/domain/load-module';
import { bindOxipng } from '../../../../../src/compression/infrastructure/codecs/squoosh/squoosh-modules';
import { png, screenshot } from '../../../../support/drawn-pngs';

const file = require.resolve('@jsquash/oxipng/codec/pkg/squoosh_oxipng_bg.wasm');
const code = new WebAssembly.Module(readFileSync(file));
const drawing = png(60, 40, screenshot);
const large = png(4000, 2500, (x, y) => [x % 256, y % 256, (x * y) % 256, 255]);

function countInstances() {
  const { Instance } = WebAssembly;
  return jest
    .spyOn(WebAssembly, 'Instance')
    .mockImplementation((module, imports) => new Instance(module, imports));
}

afterEach(() => jest.restoreAllMocks());

it('uses one instance for all files', () => {
  const made = countInstances();
  const optimise = bindOxipng(code);
  const first = optimise(drawing, 2);
  expect(first.length).toBeLessThan(drawing.length);
  expect(optimise(drawing, 2)).toEqual(first);
  expect(made).toHaveBeenCalledTimes(1);
});

it('starts a new instance after a damaged file', () => {
  const made = countInstances();
  const optimise = bindOxipng(code);
  const first = optimise(drawing, 2);
  expect(() => optimise(drawing.subarray(0, 60), 2)).toThrow('unwrap');
  expect(optimise(drawing, 2)).toEqual(first);
  expect(made).toHaveBeenCalledTimes(2);
});

it('starts a new instance after a file that has made the memory grow', () => {
  const made = countInstances();
  const optimise = bindOxipng(code);
  optimise(large, 0);
  optimise(drawing, 2);
  expect(made).toHaveBeenCalledTimes(2);
});
