import { scoreText } from '../../../src/contract/report-words';

it.each([
  [1, '1.0000'],
  [0.99996, '0.9999'],
  [0.999999999, '0.9999'],
  [0.9999, '0.9999'],
  [0.991449, '0.9914'],
  [0.99146, '0.9915'],
])('says the score %d as %s, so that 1.0000 means that no pixel changed', (score, text) => {
  expect(scoreText(score)).toBe(text);
});
