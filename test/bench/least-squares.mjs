/**
 * The straight line through points, by least squares.
 * @param points pairs of x and y, three or more
 * @returns its slope and the standard error of the slope
 */
export function slopeOf(points) {
  const n = points.length;
  const mean = (k) => points.reduce((sum, point) => sum + point[k], 0) / n;
  const [meanX, meanY] = [mean(0), mean(1)];
  const sxx = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / sxx;
  const rest = points.reduce((sum, [x, y]) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  return { slope, standardError: Math.sqrt(rest / (n - 2) / sxx) };
}
