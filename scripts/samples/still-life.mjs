/** A table by a window: linen, pears, a jug with an olive branch, books, a brush and a letter. */
import sharp from 'sharp';
import { Mesh, cross, minus, unit } from './mesh.mjs';
import { clamp, fractal, mix, noise, randomFrom, step } from './noise.mjs';

const EYE = [0.3, 3.15, 8.2];
const FOCUS = [0.55, 0.55, 1.1];

const MATERIALS = [
  'wall',
  'wood',
  'linen',
  'glaze',
  'pear',
  'stem',
  'leaf',
  'twig',
  'cloth-red',
  'cloth-green',
  'pages',
  'letter',
  'bristle',
  'brass',
  'lacquer',
  'lemon',
  'fringe',
  'lamp',
  'bowl',
];
const M = Object.fromEntries(MATERIALS.map((name, index) => [name, index]));

export async function stillLife() {
  const mesh = new Mesh();
  const random = randomFrom(20260412);
  room(mesh);
  linen(mesh, random);
  jug(mesh);
  branch(mesh, random);
  fruit(mesh);
  books(mesh);
  letter(mesh);
  brush(mesh, random);
  const textures = await lettering();
  return {
    mesh,
    camera: {
      eye: EYE,
      target: [0.12, 1.3, 0],
      fov: 34,
      aperture: 0.085,
      focus: Math.hypot(...minus(EYE, FOCUS)),
    },
    light: WINDOW,
    sky,
    shade: (hit, s) => shade(hit, s, textures),
    look: { exposure: 1.75, grain: 0.75, vignette: 0.2, warmth: 0.02 },
  };
}

/** A window left of the table, its panes told by nothing but the light. */
const LAMP = { corner: [-6.2, 1.2, -1.2], u: [1.4, 0, 4.4], v: [0, 4.2, 0], light: 7.5 };
const LAMP_NORMAL = unit(cross(LAMP.u, LAMP.v));
const LAMP_AREA = Math.hypot(...LAMP.u) * Math.hypot(...LAMP.v);
const WINDOW = {
  sample(x, y, z, u, v, out) {
    const p = [0, 1, 2].map((a) => LAMP.corner[a] + LAMP.u[a] * u + LAMP.v[a] * v);
    const d = [p[0] - x, p[1] - y, p[2] - z];
    const far = Math.hypot(...d);
    const cos = Math.abs((d[0] * LAMP_NORMAL[0] + d[1] * LAMP_NORMAL[1] + d[2] * LAMP_NORMAL[2]) / far);
    const strength = (LAMP.light * cos * LAMP_AREA) / (far * far * Math.PI);
    out.set([d[0] / far, d[1] / far, d[2] / far, far - 0.01, strength, strength * 0.97, strength * 0.9]);
  },
};

/** The rest of the room: dim, a lighter wall to the right. */
function sky(x, y, z, out) {
  const level = 0.1 + 0.1 * Math.max(0, y) + 0.16 * Math.max(0, x) ** 3 + 0.12 * Math.max(0, z);
  out[0] = level * 1.05;
  out[1] = level * 0.98;
  out[2] = level * 0.88;
}

function room(mesh) {
  const flat = (points, material, scale) =>
    mesh.surface(
      1,
      1,
      (u, v) => points(u, v),
      material,
      (u, v) => [u * scale, v * scale],
    );
  flat((u, v) => [mix(-14, 14, u), mix(9, -3, v), -4.2], M.wall, 1);
  flat((u, v) => [mix(-9, 9, u), 0, mix(-3, 6, v)], M.wood, 1);
  flat(
    (u, v) => [
      LAMP.corner[0] + LAMP.u[0] * u,
      LAMP.corner[1] + LAMP.v[1] * v,
      LAMP.corner[2] + LAMP.u[2] * u,
    ],
    M.lamp,
    1,
  );
}

/** Height of the folded linen above the table. */
function linenHeight(x, z) {
  const run = x * 0.75 + z * 0.62;
  const across = -x * 0.6 + z * 0.8;
  const wave = (phase, width, strength) => {
    const bend = noise(across * 0.7 + phase, phase, 3) * 1.1;
    const d = (run - phase - bend) / width;
    return strength * Math.exp(-d * d) * step(0.1, 0.75, noise(across * 0.55 + phase * 3, phase));
  };
  const folds =
    wave(-1.5, 0.14, 0.2) +
    wave(-0.5, 0.11, 0.17) +
    wave(0.55, 0.15, 0.23) +
    wave(1.5, 0.1, 0.16) +
    wave(2.3, 0.13, 0.18);
  return 0.03 + folds + fractal(x * 1.7, z * 1.7, 5, 3) * 0.07 + noise(x * 9, z * 9) * 0.006;
}

const LINEN = { x0: -2.55, x1: 2.75, z0: -0.75, z1: 2.75, angle: -0.16 };
function onLinen(u, v) {
  const [x, z] = [mix(LINEN.x0, LINEN.x1, u), mix(LINEN.z0, LINEN.z1, v)];
  const [sin, cos] = [Math.sin(LINEN.angle), Math.cos(LINEN.angle)];
  const edge = 0.05 * (fractal(u * 5, v * 5, 9, 2) - 0.5);
  const [wx, wz] = [x * cos + z * sin + edge, -x * sin + z * cos + edge];
  return [wx, linenHeight(wx, wz), wz];
}

function linen(mesh, random) {
  mesh.surface(520, 360, onLinen, M.linen, (u, v) => [u * (LINEN.x1 - LINEN.x0), v * (LINEN.z1 - LINEN.z0)]);
  for (let i = 0; i < 2600; i++) {
    const [u, isFront] = [random(), i % 3 > 0];
    const start = isFront ? onLinen(u, 0.999) : onLinen(0.999, u);
    const [fx, fz] = isFront ? [0.1, 1] : [1, -0.05];
    const [bendX, bendZ] = [(random() - 0.5) * 0.5, (random() - 0.5) * 0.5];
    const points = [0, 1, 2, 3, 4].map((n) => {
      const t = (n / 4) * (0.1 + 0.12 * random() * (n > 0));
      const y = Math.max(0.006, start[1] * (1 - n / 3) + 0.006);
      return [start[0] + (fx + bendX * (n / 4)) * t, n ? y : start[1], start[2] + (fz + bendZ * (n / 4)) * t];
    });
    mesh.strand(points, 0.0045, EYE, M.fringe, random());
  }
}

const JUG = [-1.35, 0.02, -0.55];
function jugRadius(v) {
  const belly = 0.42 + 0.4 * Math.sin(Math.PI * clamp(v * 1.12 + 0.06)) ** 1.3;
  return mix(belly, 0.43 + 0.16 * step(0.86, 1, v), step(0.6, 0.95, v));
}

function jug(mesh) {
  const height = 1.9;
  const lip = (v, u) => 0.16 * step(0.88, 1, v) * Math.exp(-(((u - 0.06) / 0.09) ** 2));
  const wobble = (v, u) => 0.006 * Math.sin(v * 60) + 0.008 * noise(u * 6, v * 9);
  const outer = (v, u) => [jugRadius(v) * step(-0.02, 0.015, v) + wobble(v, u) + lip(v, u), v * height];
  const inner = (v, u) => [jugRadius(1 - v * 0.6) - 0.05 + lip(1 - v * 0.6, u), height * (1 - v * 0.6)];
  const to = ([x, y, z]) => [x + JUG[0], y + JUG[1], z + JUG[2]];
  mesh.revolved(120, 160, outer, M.glaze, to);
  mesh.revolved(80, 30, inner, M.glaze, to);
  const handle = (t) => {
    const a = mix(0.15, Math.PI - 0.35, t);
    return [JUG[0] - 0.5 - 0.52 * Math.sin(a), JUG[1] + 1.02 + 0.6 * Math.cos(a), JUG[2] + 0.12];
  };
  tube(mesh, handle, 0.075, 48, 18, M.glaze);
}

/** A tube along a curve. */
function tube(mesh, curve, radius, length, around, material) {
  mesh.surface(
    around,
    length,
    (u, v) => {
      const along = unit(minus(curve(Math.min(1, v + 0.01)), curve(Math.max(0, v - 0.01))));
      const side = unit(cross(along, [0.13, 0.2, 0.97]));
      const other = cross(along, side);
      const [a, r] = [u * 2 * Math.PI, typeof radius === 'function' ? radius(v) : radius];
      return curve(v).map((p, k) => p + (side[k] * Math.cos(a) + other[k] * Math.sin(a)) * r);
    },
    material,
  );
}

/** Twigs that bend outward from the jug, with pairs of narrow leaves. */
function branch(mesh, random) {
  const stems = [
    [0.55, 2.0, 0.5],
    [-0.75, 1.75, 0.25],
    [0.1, 2.45, -0.1],
    [1.15, 1.2, 0.55],
    [-0.35, 2.2, 0.6],
    [-1.2, 1.0, 0.5],
  ];
  for (const [bx, by, bz] of stems) {
    const base = [JUG[0] + (random() - 0.5) * 0.3, JUG[1] + 1.4, JUG[2] + (random() - 0.5) * 0.3];
    const curve = (t) => [
      base[0] + bx * t ** 1.25 + 0.05 * Math.sin(t * 7 + bx),
      base[1] + 0.35 * t + (by - 0.35) * t * (1.15 - 0.35 * t),
      base[2] + bz * t ** 1.4,
    ];
    tube(mesh, curve, (v) => 0.022 * (1 - 0.7 * v), 60, 10, M.twig);
    const leaves = 15;
    for (let i = 0; i < leaves; i++) {
      const t = 0.2 + (0.8 * i) / (leaves - 1);
      const along = unit(minus(curve(Math.min(1, t + 0.02)), curve(t - 0.02)));
      for (const turn of [0, Math.PI]) {
        const a = turn + i * 1.4 + (random() - 0.5) * 0.6;
        const side = unit(cross(along, [Math.cos(a), 0.1, Math.sin(a)]));
        const lift = 0.55 + 0.5 * random();
        const out = unit(side.map((p, k) => p + along[k] * lift - (k === 1 ? 0.25 * random() : 0)));
        leaf(mesh, curve(t), out, unit(cross(out, along)), 0.38 + 0.22 * random() * (1.3 - t * 0.6), random);
      }
    }
  }
}

function leaf(mesh, from, out, face, length, random) {
  const side = cross(out, face);
  const [bend, twist, hue] = [(random() - 0.4) * 0.5, (random() - 0.5) * 0.7, random()];
  mesh.surface(
    8,
    16,
    (u, v) => {
      const width = length * 0.095 * Math.sin(Math.PI * v ** 0.85) ** 0.8;
      const x = (u * 2 - 1) * width;
      const turn = twist * v;
      const drop = -bend * length * v * v;
      const cup = Math.abs(u * 2 - 1) * width * 0.35;
      return from.map(
        (p, k) =>
          p +
          out[k] * length * v +
          side[k] * x * Math.cos(turn) +
          face[k] * (drop + cup + x * Math.sin(turn)),
      );
    },
    M.leaf,
    (u, v) => [u + Math.floor(hue * 50) * 2, v],
  );
}

function pearAt(mesh, centre, size, lean, turn, material, profile) {
  const [sl, cl] = [Math.sin(lean), Math.cos(lean)];
  const [st, ct] = [Math.sin(turn), Math.cos(turn)];
  const to = ([x, y, z]) => {
    const [lx, ly] = [x * cl - y * sl, x * sl + y * cl];
    return [
      centre[0] + (lx * ct + z * st) * size,
      centre[1] + ly * size,
      centre[2] + (-lx * st + z * ct) * size,
    ];
  };
  mesh.revolved(
    140,
    140,
    (v, u) => {
      const [r, h] = profile(v);
      const bump =
        1 + 0.05 * (noise(Math.cos(u * 6.283) * 1.5 + 4, Math.sin(u * 6.283) * 1.5, h * 1.6) - 0.5);
      return [r * bump, h];
    },
    material,
    to,
  );
  return to;
}

const PEAR = (v) => {
  const t = Math.PI * v;
  const belly = Math.sin(t) ** 0.9;
  return [
    0.47 * belly * (1 - 0.44 * step(0.42, 0.9, v)) + 0.012,
    0.46 - 0.5 * Math.cos(t) * (1 + 0.25 * v) + 0.12 * v * v - 0.02,
  ];
};
const LEMON = (v) => {
  const t = Math.PI * v;
  return [0.36 * Math.sin(t) ** 0.85 + 0.005, -0.46 * Math.cos(t) - 0.06 * Math.cos(t) ** 9];
};

function fruit(mesh) {
  const stand = (x, z) => [x, linenHeight(x, z) - 0.015, z];
  for (const [place, size, lean, turn] of [
    [stand(-0.28, 0.42), 0.98, -0.08, 0.4],
    [stand(0.42, -0.12), 1.04, 0.1, 2.6],
  ]) {
    const to = pearAt(mesh, place, size, lean, turn, M.pear, PEAR);
    tube(
      mesh,
      (t) => to([0.02 + 0.1 * t * t, 1.14 + 0.28 * t, 0.03 * t]),
      (v) => (0.022 + 0.016 * v ** 4) * size,
      20,
      10,
      M.stem,
    );
  }
  const lying = stand(-0.98, 1.28);
  const to = pearAt(mesh, [lying[0], lying[1] + 0.34, lying[2]], 0.92, 1.35, 0.5, M.pear, (v) => {
    const [r, h] = PEAR(v);
    return [r, h - 0.5];
  });
  tube(mesh, (t) => to([0.02, 0.63 + 0.26 * t, 0.06 * t]), 0.022, 20, 10, M.stem);
  const lemon = stand(0.12, 1.08);
  pearAt(mesh, [lemon[0], lemon[1] + 0.33, lemon[2]], 0.88, 1.45, -0.6, M.lemon, LEMON);
}

function books(mesh) {
  const book = ([x, y, z], [w, h, d], angle, cover) => {
    const t = 0.035;
    const place = (u, v) => [u * 0.999, v * 0.999];
    mesh.box([x, y + h - t / 2, z], [w, t, d], angle, cover, place);
    mesh.box([x, y + t / 2, z], [w, t, d], angle, cover, place);
    const front = [x + (d / 2 - 0.02) * Math.sin(angle), y + h / 2, z + (d / 2 - 0.02) * Math.cos(angle)];
    mesh.box(front, [w, h - 0.002, 0.045], angle, cover, place);
    mesh.box([x, y + h / 2, z], [w - 0.1, h - 2 * t, d - 0.06], angle, M.pages, place);
  };
  book([1.75, 0, -0.85], [2.5, 0.42, 1.7], -0.12, M['cloth-green']);
  book([1.68, 0.42, -0.82], [2.25, 0.36, 1.55], 0.05, M['cloth-red']);
}

function letter(mesh) {
  const angle = -0.42;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  mesh.surface(
    80,
    80,
    (u, v) => {
      const [x, z] = [(u - 0.5) * 1.75, (v - 0.5) * 1.3];
      const [wx, wz] = [1.42 + x * cos + z * sin, 1.5 - x * sin + z * cos];
      // A sheet that was folded once keeps its crease, and its corners lift.
      const crease = 0.09 * Math.abs(v - 0.5);
      const corner = 0.1 * (2 * Math.abs(u - 0.5)) ** 4 * (1 - v);
      return [wx, Math.max(0.235, 0) + crease + corner + 0.02 * Math.sin(u * 5), wz];
    },
    M.letter,
    (u, v) => [u, v],
  );
}

/** A brush that leans on the books. */
function brush(mesh, random) {
  const [tip, end] = [
    [0.62, 0.32, 1.42],
    [2.25, 0.93, -0.1],
  ];
  const along = unit(minus(end, tip));
  const at = (t) => tip.map((p, k) => p + (end[k] - p) * t);
  const length = Math.hypot(...minus(end, tip));
  tube(
    mesh,
    (t) => at(0.34 + 0.66 * t),
    (v) => 0.045 * Math.sin(Math.PI * (0.16 + 0.8 * v)) ** 0.7 + 0.012,
    90,
    24,
    M.lacquer,
  );
  tube(
    mesh,
    (t) => at(0.2 + 0.16 * t),
    (v) => 0.062 - 0.012 * v + 0.004 * (Math.abs(v - 0.3) < 0.04) + 0.004 * (Math.abs(v - 0.7) < 0.04),
    80,
    28,
    M.brass,
  );
  const side = unit(cross(along, [0, 1, 0.2]));
  const other = cross(along, side);
  for (let i = 0; i < 3400; i++) {
    const [a, r] = [random() * 2 * Math.PI, Math.sqrt(random())];
    const reach = 0.2 * (1 - 0.28 * r * r + 0.1 * random());
    const [sa, sb] = [Math.cos(a) * r, Math.sin(a) * r];
    const stray = random() < 0.05 ? 0.03 : 0.006;
    const [jx, jy] = [(random() - 0.5) * stray, (random() - 0.5) * stray];
    const points = [0, 1, 2, 3, 4, 5].map((n) => {
      const t = n / 5;
      const flare = 0.056 * (1 + 0.75 * Math.sin(Math.PI * t * 0.62)) * (1 - 0.35 * t ** 3);
      return at(0.21 - reach * t).map(
        (p, k) =>
          p +
          side[k] * (sa * flare + jx * t * 4) +
          other[k] * (sb * flare + jy * t * 4) -
          (k === 1 ? 0.02 * t * t : 0),
      );
    });
    mesh.strand(points, (0.0042 * 1) / length + 0.0006, EYE, M.bristle, random());
  }
}

/** What is printed and stamped, as grey bitmaps. It is drawn with the DejaVu fonts, or with what is installed. */
async function lettering() {
  const draw = async (width, height, body) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/>${body}</svg>`;
    const { data } = await sharp(Buffer.from(svg)).greyscale().raw().toBuffer({ resolveWithObject: true });
    return { data, width, height };
  };
  const spine = (text, author) =>
    `<g font-family="DejaVu Serif, serif"><text x="90" y="118" font-size="84" letter-spacing="10">${text}</text><text x="1130" y="112" font-size="52" font-style="italic">${author}</text></g><rect x="30" y="22" width="1540" height="8"/><rect x="30" y="156" width="1540" height="8"/>`;
  const words = [
    'A photograph holds far more than the eye can see. Between one leaf and',
    'the next there are a hundred greens, and in the shadow of a fold the',
    'light has been around the room twice. To make such a picture small,',
    'one must know what may be forgotten: not the thread, not the hair,',
    'not the letter on the page, but only what nobody would ever miss.',
    '',
    'So I have taken the quiet table by the window as my measure. There is',
    'linen for its weave, fruit for its skin, an olive branch for edges',
    'upon edges, and this sheet, which you can read if all went well.',
  ];
  const lines = words.map((line, i) => `<text x="150" y="${400 + i * 78}">${line}</text>`).join('');
  const page = `<g font-family="DejaVu Serif, serif" font-size="43"><text x="150" y="250" font-size="92" font-style="italic">On keeping what is seen</text>${lines}<text x="1180" y="1190" font-size="60" font-style="italic">The painter</text></g>`;
  return {
    letter: await draw(1900, 1410, page),
    red: await draw(1600, 190, spine('LIGHT AND LINEN', 'A. Weaver')),
    green: await draw(1600, 190, spine('A FIELD OF OLIVES', 'M. Grove')),
  };
}

/** 1 = paper, 0 = ink. */
function ink({ data, width, height }, u, v) {
  const [x, y] = [clamp(u) * (width - 1.001), clamp(v) * (height - 1.001)];
  const [i, j] = [Math.floor(x), Math.floor(y)];
  const at = (a, b) => data[b * width + a] / 255;
  const row = (b) => mix(at(i, b), at(i + 1, b), x - i);
  return mix(row(j), row(j + 1), y - j);
}

function paint(s, r, g, b) {
  s.r = r;
  s.g = g;
  s.b = b;
}

function tilt(s, x, y, z) {
  const n = unit([s.nx + x, s.ny + y, s.nz + z]);
  [s.nx, s.ny, s.nz] = n;
}

function shade({ material, x, y, z, u, v }, s, textures) {
  switch (MATERIALS[material]) {
    case 'wall': {
      const tone = 0.75 + 0.35 * fractal(x * 0.5, y * 0.5, 2, 4);
      return paint(s, 0.23 * tone, 0.25 * tone, 0.235 * tone);
    }
    case 'wood':
      return wood(s, x, z);
    case 'linen':
      return weave(s, u, v, x, z);
    case 'fringe': {
      s.through = 0.3;
      const tone = 0.8 + 0.25 * u;
      return paint(s, 0.66 * tone, 0.6 * tone, 0.49 * tone);
    }
    case 'glaze': {
      const speck =
        step(0.8, 0.86, noise(x * 44, y * 44, z * 44)) * step(0.5, 0.75, noise(x * 4, y * 4, z * 4));
      const drip = step(0.05, 0.3, y - 0.42 - 0.16 * fractal(x * 2.2, z * 2.2, 4, 3));
      s.f0 = mix(0.02, 0.045, drip);
      s.rough = mix(0.75, 0.14, drip);
      tilt(s, 0.03 * (noise(x * 7, y * 7, z * 7) - 0.5), 0.03 * (noise(x * 7, y * 7, z * 7 + 9) - 0.5), 0);
      const dark = 1 - 0.65 * speck;
      return paint(
        s,
        mix(0.42, 0.74, drip) * dark,
        mix(0.27, 0.73, drip) * dark,
        mix(0.17, 0.68, drip) * dark,
      );
    }
    case 'pear':
      return pearSkin(s, x, y, z, u, v);
    case 'lemon': {
      s.f0 = 0.04;
      s.rough = 0.4;
      const d = 46;
      tilt(
        s,
        0.3 * (noise(x * d, y * d, z * d) - 0.5),
        0.3 * (noise(x * d + 7, y * d, z * d) - 0.5),
        0.3 * (noise(x * d, y * d + 7, z * d) - 0.5),
      );
      const green = step(0.55, 0.95, fractal(x * 2, y * 2, z * 2 + 5, 3)) * 0.4;
      return paint(s, mix(0.86, 0.5, green), mix(0.6, 0.55, green), 0.05);
    }
    case 'stem':
    case 'twig': {
      const tone = 0.6 + 0.8 * fractal(x * 30, y * 12, z * 30, 2);
      return paint(s, 0.2 * tone, 0.14 * tone, 0.08 * tone);
    }
    case 'leaf':
      return leafSkin(s, u, v, x, y, z);
    case 'cloth-red':
      return bookCloth(s, u, v, [0.4, 0.07, 0.05], textures.red);
    case 'cloth-green':
      return bookCloth(s, u, v, [0.05, 0.15, 0.13], textures.green);
    case 'pages': {
      const tone = 0.55 + 0.45 * noise(y * 260, x * 3, z * 3);
      return paint(s, 0.72 * tone, 0.65 * tone, 0.5 * tone);
    }
    case 'letter': {
      const fibre = 0.93 + 0.07 * fractal(u * 90, v * 90, 1, 3);
      const print = 0.09 + 0.91 * ink(textures.letter, u, v);
      s.through = 0.06;
      return paint(s, 0.83 * fibre * print, 0.79 * fibre * print, 0.69 * fibre * print);
    }
    case 'bristle': {
      s.f0 = 0.05;
      s.rough = 0.45;
      const tone = (0.55 + 0.75 * u) * mix(1, 0.55, step(0.55, 1, v));
      return paint(s, 0.33 * tone, 0.19 * tone, 0.09 * tone);
    }
    case 'brass':
      s.f0 = 1;
      s.metal = true;
      s.rough = 0.3 + 0.12 * noise(x * 60, y * 60, z * 60);
      return paint(s, 0.86, 0.66, 0.36);
    case 'lacquer':
      s.f0 = 0.05;
      s.rough = 0.16;
      return paint(s, 0.04, 0.07, 0.13);
    default:
      s.glow = LAMP.light / 2.2;
      return paint(s, 1, 1, 1);
  }
}

function wood(s, x, z) {
  const board = Math.floor((z + 40) / 0.95);
  const across = (z + 40) / 0.95 - board;
  const seam = step(0, 0.012, Math.min(across, 1 - across));
  const warp = fractal(x * 0.35 + board * 7, z * 1.5, board, 3);
  const rings = fractal(x * 0.7 + board * 3, z * 16 + warp * 7, board, 4);
  const pores = noise(x * 7, z * 120, board);
  const tone =
    (0.55 + 0.7 * rings) *
    (0.85 + 0.2 * pores) *
    (0.85 + 0.25 * noise(board * 5.7, 1)) *
    (0.35 + 0.65 * seam);
  s.f0 = 0.035;
  s.rough = 0.42 + 0.2 * rings;
  tilt(s, 0.03 * (pores - 0.5), 0, 0.14 * (pores - 0.5));
  paint(s, 0.36 * tone, 0.215 * tone, 0.115 * tone);
}

/** Threads over and under each other, each of its own thickness, with blue stripes near the ends. */
function weave(s, u, v, x, z) {
  const threads = 62;
  const [a, b] = [
    u * threads + 0.2 * noise(v * 9, u * threads),
    v * threads + 0.2 * noise(u * 9, v * threads),
  ];
  const [i, j] = [Math.floor(a), Math.floor(b)];
  const isWarp = (i + j) % 2 === 0;
  const slub = (n, along) => 0.72 + 0.5 * noise(n * 13.7, along * 1.7);
  const thread = isWarp ? slub(i, v) : slub(j + 500, u);
  const [p, q] = isWarp ? [a - i - 0.5, b - j - 0.5] : [b - j - 0.5, a - i - 0.5];
  const height = Math.sqrt(Math.max(0, 1 - (p * 1.9) ** 2)) * (1 - 0.6 * (q * 1.6) ** 2);
  const bump = 0.85 * p + 0.0001;
  if (isWarp) tilt(s, bump, 0, 0.5 * q);
  else tilt(s, 0.5 * q, 0, bump);
  const stripe = [0.3, 0.36, 0.52, 4.78, 4.94, 5.0].some(
    (at, n) => Math.abs(u - at) < [0.02, 0.02, 0.08, 0.08, 0.02, 0.02][n],
  );
  const tone = (0.45 + 0.62 * height) * thread * (0.94 + 0.1 * noise(x * 40, z * 40));
  s.through = 0.12;
  if (stripe && (isWarp || height < 0.5)) return paint(s, 0.1 * tone, 0.17 * tone, 0.34 * tone);
  return paint(s, 0.8 * tone, 0.74 * tone, 0.63 * tone);
}

function pearSkin(s, x, y, z, u, v) {
  const blush = step(0.35, 0.8, fractal(x * 1.3 + 3, y * 1.3, z * 1.3, 3) + 0.25 * Math.sin(u * 6.283 + 0.6));
  const mottle = fractal(x * 9, y * 9, z * 9, 3);
  const freckle = step(0.76, 0.84, noise(x * 60, y * 60, z * 60));
  const russet = step(0.75, 0.98, v + 0.16 * (fractal(x * 7, y * 7, z * 7, 3) - 0.5)) * 0.75;
  s.f0 = 0.038;
  s.rough = 0.3 + 0.25 * russet;
  tilt(s, 0.09 * (noise(x * 42, y * 42, z * 42) - 0.5), 0.09 * (noise(x * 42, y * 42 + 5, z * 42) - 0.5), 0);
  const tone = 0.86 + 0.28 * mottle;
  const r = mix(mix(0.5, 0.62, blush), 0.34, russet);
  const g = mix(mix(0.5, 0.27, blush), 0.23, russet);
  const b = mix(mix(0.09, 0.06, blush), 0.09, russet);
  const spot = 1 - 0.45 * freckle;
  paint(s, r * tone * spot, g * tone * spot, b * tone * spot);
}

function leafSkin(s, u, v, x, y, z) {
  const hue = (Math.floor(u / 2) % 50) / 50;
  const across = Math.abs((u % 2) - 0.5) * 2;
  const rib = step(0.1, 0.03, across);
  const veins = step(0.82, 0.98, Math.sin((v * 26 - across * 6) * Math.PI)) * 0.35;
  const tone = (0.75 + 0.5 * hue) * (0.8 + 0.4 * fractal(x * 14, y * 14, z * 14, 3));
  s.f0 = 0.04;
  s.rough = 0.38;
  s.through = 0.3;
  tilt(s, 0.1 * (noise(x * 50, y * 50, z * 50) - 0.5), 0, 0.1 * (noise(x * 50, y * 50, z * 50 + 3) - 0.5));
  const pale = clamp(rib * 0.6 + veins);
  paint(
    s,
    mix(0.17 + 0.1 * hue, 0.5, pale) * tone,
    mix(0.25 + 0.05 * hue, 0.52, pale) * tone,
    mix(0.12, 0.3, pale) * tone,
  );
}

/** Book cloth: a fine weave, and gold where something is stamped on the spine. */
function bookCloth(s, u, v, [r, g, b], stamp) {
  const side = Math.floor(u / 10 + 0.001);
  const [a, c] = [u - side * 10, v - side * 10];
  const fine = 0.82 + 0.3 * noise(a * 420, c * 60) * noise(c * 90, a * 300);
  const isStamped = side === 0 && ink(stamp, a, c) < 0.5;
  if (isStamped) {
    s.f0 = 1;
    s.metal = true;
    s.rough = 0.42;
    return paint(s, 0.85, 0.65, 0.3);
  }
  s.f0 = 0.02;
  s.rough = 0.7;
  return paint(s, r * fine, g * fine, b * fine);
}
