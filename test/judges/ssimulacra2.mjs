/** SSIMULACRA 2.1 (J. Sneyers, Cloudinary, 2022/2023), from the published description, weights and constants. */
// Looking up a global takes most of the time of a pixel loop in a module that Jest loads.
const { abs, cbrt, max, min } = Math;
const SCALES = 6;
const C2 = 0.0009;
const BIAS = 0.0037930732552754493;
const MIX = [
  [0.3, 0.622, 0.078],
  [0.23, 0.692, 0.078],
  [0.24342268924547819, 0.20476744424496821, 0.5518098665095536],
];
/** A row for each scale of X, then of Y and B: structure, added edges and lost edges by the 1-norm, then by the 4-norm. */
// prettier-ignore
const WEIGHTS = [
  0, 0.0007376606707406586, 0, 0, 0.0007793481682867309, 0,
  0, 0.0004371155730107379, 0, 1.1041726426657346, 0.00066284834129271, 0.00015231632783718752,
  0, 0.0016406437456599754, 0, 1.8422455520539298, 11.441172603757666, 0,
  0.0007989109436015163, 0.000176816438078653, 0, 1.8787594979546387, 10.94906990605142, 0,
  0.0007289346991508072, 0.9677937080626833, 0, 0.00014003424285435884, 0.9981766977854967, 0.00031949755934435053,
  0.0004550992113792063, 0, 0, 0.0013648766163243398, 0, 0,
  0, 0, 0, 7.466890328078848, 0, 17.445833984131262,
  0.0006235601634041466, 0, 0, 6.683678146179332, 0.00037724407979611296, 1.027889937768264,
  225.20515300849274, 0, 0, 19.213238186143016, 0.0011401524586618361, 0.001237755635509985,
  176.39317598450694, 0, 0, 24.43300999870476, 0.28520802612117757, 0.0004485436923833408,
  0, 0, 0, 34.77906344483772, 44.835625328877896, 0,
  0, 0, 0, 0, 0, 0,
  0, 0.0008680556573291698, 0, 0, 0, 0,
  0, 0.0005313191874358747, 0, 0.00016533814161379112, 0, 0,
  0, 0, 0, 0.0004179171803251336, 0.0017290828234722833, 0,
  0.0020827005846636437, 0, 0, 8.826982764996862, 23.19243343998926, 0,
  95.1080498811086, 0.9863978034400682, 0.9834382792465353, 0.0012286405048278493, 171.2667255897307, 0.9807858872435379,
  0, 0, 0, 0.0005130064588990679, 0, 0.00010854057858411537,
];

const LINEAR = Float32Array.from({ length: 256 }, (_, v) => {
  const c = v / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
});
const RADIUS = 4;
/** The impulse response of libjxl's recursive filter for σ = 1.5 (Charalampidis 2016), derived from its equations. */
const HALF_KERNEL = [0.009414368, 0.036011115, 0.109335373, 0.212928592];
const KERNEL = Float64Array.of(...HALF_KERNEL, 0.264621105, ...HALF_KERNEL.toReversed());

/** @returns at most 100 (identical); differences are invisible at 90, invisible side by side at 80 */
export function ssimulacra2(a, b) {
  let [left, right] = [linearPlanes(a), linearPlanes(b)];
  const maps = [];
  for (let scale = 0; scale < SCALES; scale++) {
    if (scale > 0) [left, right] = [halved(left), halved(right)];
    if (scale > 0 && Math.min(left.width, left.height) < 4) break;
    maps.push(compare(xyb(left), xyb(right)));
    if (Math.min(left.width, left.height) < 8) break;
  }
  let sum = 0;
  let i = 0;
  for (let channel = 0; channel < 3; channel++)
    for (const norms of maps) for (const norm of norms[channel]) sum += WEIGHTS[i++] * norm;
  const s = sum * 0.9562382616834844;
  const curve = 2.326765642916932 * s - 0.020884521182843837 * s ** 2 + 6.248496625763138e-5 * s ** 3;
  return curve > 0 ? 100 - 10 * curve ** 0.6276336467831387 : 100;
}

function linearPlanes({ width, height, data }) {
  const planes = [0, 1, 2].map((c) => {
    const plane = new Float32Array(width * height);
    for (let i = 0; i < plane.length; i++) plane[i] = LINEAR[data[i * 3 + c]];
    return plane;
  });
  return { width, height, planes };
}

function halved({ width, height, planes }) {
  const [w, h] = [(width + 1) >> 1, (height + 1) >> 1];
  const half = planes.map((plane) => {
    const out = new Float32Array(w * h);
    for (let y = 0, i = 0; y < h; y++) {
      const top = min(2 * y, height - 1) * width;
      const bottom = min(2 * y + 1, height - 1) * width;
      for (let x = 0; x < w; x++, i++) {
        const l = min(2 * x, width - 1);
        const r = min(2 * x + 1, width - 1);
        out[i] = (plane[top + l] + plane[top + r] + plane[bottom + l] + plane[bottom + r]) / 4;
      }
    }
    return out;
  });
  return { width: w, height: h, planes: half };
}

function xyb({ width, height, planes: [r, g, b] }) {
  const planes = [0, 1, 2].map(() => new Float32Array(width * height));
  const [x, y, blue] = planes;
  const root = cbrt(BIAS);
  const seen = (mix, i) => cbrt(mix[0] * r[i] + mix[1] * g[i] + mix[2] * b[i] + BIAS) - root;
  for (let i = 0; i < r.length; i++) {
    const l = seen(MIX[0], i);
    const m = seen(MIX[1], i);
    const mean = (l + m) / 2;
    x[i] = ((l - m) / 2) * 14 + 0.42;
    y[i] = mean + 0.01;
    blue[i] = seen(MIX[2], i) - mean + 0.55;
  }
  return { width, height, planes };
}

/** Per channel: the 1-norms of the three maps, then their 4-norms. */
function compare(a, b) {
  const { width, height } = a;
  return a.planes.map((pa, c) => {
    const pb = b.planes[c];
    const meanOf = (p, q) => blurred(multiplied(p, q), width, height);
    const meanA = blurred(pa, width, height);
    const meanB = blurred(pb, width, height);
    const squareA = meanOf(pa, pa);
    const squareB = meanOf(pb, pb);
    const product = meanOf(pa, pb);
    const sums = new Float64Array(6);
    for (let i = 0; i < pa.length; i++) {
      const ma = meanA[i];
      const mb = meanB[i];
      const structure = 2 * (product[i] - ma * mb) + C2;
      const variances = squareA[i] - ma * ma + squareB[i] - mb * mb + C2;
      const loss = max(0, 1 - ((1 - (ma - mb) * (ma - mb)) * structure) / variances);
      const edge = (1 + abs(pb[i] - mb)) / (1 + abs(pa[i] - ma)) - 1;
      const added = max(0, edge);
      const lost = max(0, -edge);
      sums[0] += loss;
      sums[1] += added;
      sums[2] += lost;
      sums[3] += loss * loss * (loss * loss);
      sums[4] += added * added * (added * added);
      sums[5] += lost * lost * (lost * lost);
    }
    return Array.from(sums, (sum, k) => (k < 3 ? sum / pa.length : (sum / pa.length) ** 0.25));
  });
}

function multiplied(p, q) {
  const out = new Float32Array(p.length);
  for (let i = 0; i < out.length; i++) out[i] = p[i] * q[i];
  return out;
}

function blurred(plane, width, height) {
  const across = new Float32Array(plane.length);
  for (let y = 0; y < height; y++) blurRow(plane, across, y * width, width);
  return blurredDown(across, width, height);
}

function blurRow(plane, out, start, width) {
  const [k0, k1, k2, k3, k4] = KERNEL;
  const end = start + width;
  for (let p = start; p < end; p++) {
    if (p - start >= RADIUS && p < end - RADIUS) {
      out[p] =
        k4 * plane[p] +
        k3 * (plane[p - 1] + plane[p + 1]) +
        k2 * (plane[p - 2] + plane[p + 2]) +
        k1 * (plane[p - 3] + plane[p + 3]) +
        k0 * (plane[p - 4] + plane[p + 4]);
      continue;
    }
    let sum = 0;
    for (let q = max(start, p - RADIUS); q <= min(end - 1, p + RADIUS); q++)
      sum += plane[q] * KERNEL[q - p + RADIUS];
    out[p] = sum;
  }
}

/** Convolves the columns, row by row: samples one below the other are far apart in memory. */
function blurredDown(plane, width, height) {
  const out = new Float32Array(plane.length);
  const sums = new Float64Array(width);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    for (let row = max(0, y - RADIUS); row <= min(height - 1, y + RADIUS); row++) {
      const weight = KERNEL[row - y + RADIUS];
      const start = row * width;
      for (let x = 0; x < width; x++) sums[x] += weight * plane[start + x];
    }
    out.set(sums, y * width);
  }
  return out;
}
