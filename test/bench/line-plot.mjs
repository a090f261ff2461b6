/** A minimal line plot as SVG: axes with round ticks and a legend. */
import { writeFileSync } from 'node:fs';
import sharp from 'sharp';

const [WIDTH, HEIGHT] = [760, 440];
const MARGIN = { left: 70, right: 20, top: 44, bottom: 54 };
const COLOURS = ['#c0392b', '#b7791f', '#2563eb', '#15803d'];

/** SVG for the docs, PNG for viewing. */
export async function saveDrawing(path, svg) {
  writeFileSync(`${path}.svg`, svg);
  await sharp(Buffer.from(svg), { density: 144 }).png({ palette: true }).toFile(`${path}.png`);
}

/**
 * @param plot { title, x: { label }, y: { label }, series: [{ name, points: [[x, y]], isMarks }], level, legend }: `isMarks`
 *   draws points without a line, `level` a horizontal line, `legend: 'right'` puts it where falling lines leave room
 */
export function linePlot({ title, x, y, series, level, legend }) {
  const all = series.flatMap(({ points }) => points);
  const xs = axis(all.map(([value]) => value));
  const ys = axis(all.map(([, value]) => value));
  const px = (value) =>
    MARGIN.left + ((value - xs.from) / (xs.to - xs.from)) * (WIDTH - MARGIN.left - MARGIN.right);
  const py = (value) =>
    HEIGHT - MARGIN.bottom - ((value - ys.from) / (ys.to - ys.from)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const text = (left, top, words, more = '') => `<text x="${left}" y="${top}" ${more}>${words}</text>`;
  const line = (x1, y1, x2, y2, colour) =>
    `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${colour}"/>`;
  const legendLeft = legend === 'right' ? (MARGIN.left + WIDTH) / 2 : MARGIN.left + 14;
  const [left, right, top, bottom] = [MARGIN.left, WIDTH - MARGIN.right, MARGIN.top, HEIGHT - MARGIN.bottom];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="12" fill="#222">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    text(left, 24, title, 'font-size="14" font-weight="bold"'),
    ...xs.ticks.flatMap((value) => [
      line(px(value), top, px(value), bottom, '#e5e5e5'),
      text(px(value), bottom + 18, value, 'text-anchor="middle"'),
    ]),
    ...ys.ticks.flatMap((value) => [
      line(left, py(value), right, py(value), '#e5e5e5'),
      text(left - 8, py(value) + 4, value, 'text-anchor="end"'),
    ]),
    text((left + right) / 2, HEIGHT - 14, x.label, 'text-anchor="middle"'),
    text(0, 0, y.label, `text-anchor="middle" transform="translate(18 ${(top + bottom) / 2}) rotate(-90)"`),
    ...(level === undefined ? [] : [line(left, py(level), right, py(level), '#222')]),
    ...series.flatMap(({ name, points, isMarks }, i) => [
      `<polyline fill="none" stroke="${COLOURS[i]}" stroke-width="${isMarks ? 0 : 2}" points="${points.map(([a, b]) => `${px(a).toFixed(1)},${py(b).toFixed(1)}`).join(' ')}"/>`,
      ...points.map(
        ([a, b]) =>
          `<circle cx="${px(a).toFixed(1)}" cy="${py(b).toFixed(1)}" r="${isMarks ? 7 : 3}" fill="${COLOURS[i]}"/>`,
      ),
      `<rect x="${legendLeft}" y="${top + 10 + i * 20}" width="18" height="3" fill="${COLOURS[i]}"/>`,
      text(legendLeft + 26, top + 16 + i * 20, name),
    ]),
    '</svg>',
  ].join('\n');
}

/** Returns a range that contains the values, with about six ticks at round numbers. */
function axis(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const rough = (most - least) / 6;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * magnitude).find((n) => n >= rough);
  const from = Math.floor(least / step) * step;
  const to = Math.ceil(most / step) * step;
  const ticks = [];
  for (let value = from; value <= to + step / 2; value += step) ticks.push(Number(value.toFixed(6)));
  return { from, to, ticks };
}
