/**
 * The straight line through points, by least squares.
 * @param points pairs of x and y, three or more
 * @returns its slope and the standard error of the slope. Neighbours that go together (what is held now is mostly held
 *   ten seconds later) say less than as many independent points would: the error grows with their correlation.
 */
export function slopeOf(points) {
  const n = points.length;
  const mean = (k) => points.reduce((sum, point) => sum + point[k], 0) / n;
  const [meanX, meanY] = [mean(0), mean(1)];
  const sxx = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / sxx;
  const residuals = points.map(([x, y]) => y - meanY - slope * (x - meanX));
  const rest = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  const neighbours = residuals.slice(1).reduce((sum, residual, i) => sum + residual * residuals[i], 0);
  const correlation = rest === 0 ? 0 : Math.min(0.99, Math.max(0, neighbours / rest));
  const inflation = Math.sqrt((1 + correlation) / (1 - correlation));
  return { slope, standardError: Math.sqrt(rest / (n - 2) / sxx) * inflation };
}
