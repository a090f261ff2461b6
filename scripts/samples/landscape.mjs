/** A meadow before a wood in the evening sun: grass, flowers, bushes and trees, hills in the haze. */
import { Mesh, cross, unit } from './mesh.mjs';
import { fractal, mix, noise, randomFrom, step } from './noise.mjs';

const EYE = [0, 1.75, 9];
const [GROUND, BLADE, LEAF, BARK, FLOWER] = [0, 1, 2, 3, 4];
const SUN = unit([-0.72, 0.42, 0.35]);

export async function landscape() {
  const mesh = new Mesh();
  const random = randomFrom(20260521);
  ground(mesh);
  for (const [x, z, height] of [
    [-7.5, -9, 8.5],
    [-3.4, -15, 8],
    [6.2, -7.5, 9],
    [9.5, -14, 10],
    [2.4, -24, 9],
    [-12, -18, 10],
    [13, -22, 11],
    [-1.5, -33, 10],
    [7, -35, 11],
  ])
    tree(mesh, random, x, z, height);
  for (let i = 0; i < 9; i++)
    bush(mesh, random, mix(-11, 11, random()), mix(-12, -3, random()), 0.5 + random());
  meadow(mesh, random);
  return {
    mesh,
    camera: { eye: EYE, target: [0, 2.6, -4], fov: 46, aperture: 0.006, focus: 14 },
    light: { sample: sun },
    sky,
    shade,
    haze,
    look: { exposure: 1.05, grain: 0.7, vignette: 0.18, warmth: 0.03, passes: 2 },
  };
}

function sun(x, y, z, u, v, out) {
  const [a, r] = [u * 2 * Math.PI, Math.sqrt(v) * 0.012];
  const d = unit([SUN[0] + Math.cos(a) * r, SUN[1] + Math.sin(a) * r, SUN[2] + Math.sin(a + 2) * r]);
  out.set([d[0], d[1], d[2], 1e9, 2.5, 2.05, 1.45]);
}

/** Blue above, pale near the horizon, warm towards the sun, with clouds where the ray comes from the lens. */
function sky(x, y, z, out, isSeen) {
  const up = Math.max(0, y);
  const towards = Math.max(0, x * SUN[0] + y * SUN[1] + z * SUN[2]);
  const pale = (1 - up) ** 5;
  out[0] = mix(0.16, 0.62, pale) + 0.3 * towards ** 8;
  out[1] = mix(0.3, 0.66, pale) + 0.22 * towards ** 8;
  out[2] = mix(0.62, 0.72, pale) + 0.1 * towards ** 8;
  if (y < 0) out.fill(0.12);
  if (!isSeen || y < 0.01) return;
  const [cx, cz] = [x / (y + 0.12), z / (y + 0.12)];
  const body = fractal(cx * 0.9 + 3, cz * 0.9, 1.7, 6);
  const cloud = step(0.5, 0.74, body) * step(0.02, 0.2, y);
  const lit =
    0.72 + 0.55 * (body - fractal((cx + SUN[0] * 0.22) * 0.9 + 3, (cz + SUN[2] * 0.22) * 0.9, 1.7, 5)) * 3;
  out[0] = mix(out[0], 1.0 * lit, cloud);
  out[1] = mix(out[1], 0.97 * lit, cloud);
  out[2] = mix(out[2], 0.95 * lit, cloud);
}

/** @returns the share of the light that gets through the air */
function haze(distance, height, x, y, z, out) {
  const towards = Math.max(0, x * SUN[0] + z * SUN[2]);
  out[0] = 0.5 + 0.25 * towards;
  out[1] = 0.57 + 0.14 * towards;
  out[2] = 0.66;
  return Math.exp(-Math.max(0, distance - 6) * 0.006);
}

function heightAt(x, z) {
  const near = 0.35 * fractal(x * 0.13, z * 0.13, 3, 3) - 0.2 + 0.05 * noise(x * 1.3, z * 1.3);
  const far = step(30, 120, -z) * (6 + 20 * fractal(x * 0.012 + 5, z * 0.014, 8, 5) * step(20, 160, -z));
  return near + far;
}

function ground(mesh) {
  // Narrow near the eye, wide far away, so that each triangle takes about as much of the picture.
  mesh.surface(
    240,
    420,
    (u, v) => {
      const z = 10 - 260 * v ** 2.4;
      const x = (u - 0.5) * (26 + (10 - z) * 1.9);
      return [x, heightAt(x, z), z];
    },
    GROUND,
    (u, v) => [u, v],
  );
}

function meadow(mesh, random) {
  for (let i = 0; i < 95_000; i++) {
    const z = 6.6 - 21 * random() ** 1.7;
    const x = (random() - 0.5) * (5 + (9 - z) * 1.25);
    const tuft = fractal(x * 0.9, z * 0.9, 4, 3);
    if (random() > 0.35 + tuft) continue;
    const tall = (0.1 + 0.4 * tuft * tuft + 0.1 * random()) * (random() < 0.04 ? 1.8 : 1);
    const a = random() * 6.283;
    const bend = tall * (0.2 + 0.6 * random());
    const y = heightAt(x, z);
    const points = [0, 1, 2, 3].map((n) => {
      const t = n / 3;
      return [
        x + Math.cos(a) * bend * t * t,
        y - 0.01 + tall * t * (1 - 0.18 * t),
        z + Math.sin(a) * bend * t * t,
      ];
    });
    mesh.strand(points, 0.0045 + 0.003 * random(), EYE, BLADE, random());
    if (random() < 0.018 && z < 4) flower(mesh, random, points[3], 0.02 + 0.012 * random());
  }
}

function flower(mesh, random, [x, y, z], size) {
  const hue = random();
  const tip = unit([random() - 0.5, 0.7, random() * 0.9]);
  const side = unit(cross(tip, [0.3, 0.1, 0.9]));
  const other = cross(tip, side);
  for (let i = 0; i < 8; i++) {
    const petal = (turn, r) => {
      const a = ((i + turn) / 8) * 6.283;
      return [0, 1, 2].map((k) => [x, y, z][k] + (side[k] * Math.cos(a) + other[k] * Math.sin(a)) * r * size);
    };
    mesh.triangle(
      [[x, y, z], petal(-0.42, 1), petal(0.42, 1)],
      [tip, tip, tip],
      [
        [hue, 0],
        [hue, 1],
        [hue, 1],
      ],
      FLOWER,
    );
  }
}

function leaf(mesh, random, at, out, size, hue) {
  const flat = unit(cross(out, unit([random() - 0.5, 1, random() - 0.5])));
  const up = cross(flat, out);
  const normal = unit([0, 1, 2].map((k) => up[k] + (random() - 0.5) * 0.6));
  const point = (a, b) =>
    [0, 1, 2].map(
      (k) => at[k] + out[k] * size * a + flat[k] * size * b - (k === 1 ? 0.25 * size * a * a : 0),
    );
  const [base, left, right, tip] = [point(0, 0), point(0.45, -0.32), point(0.45, 0.32), point(1, 0)];
  const places = [
    [hue, 0],
    [hue, 0.5],
    [hue, 1],
  ];
  mesh.triangle([base, left, tip], [normal, normal, normal], places, LEAF);
  mesh.triangle([base, tip, right], [normal, normal, normal], places, LEAF);
}

/** Boughs that fork, and leaves around the ends of the thin ones. */
function tree(mesh, random, x, z, height) {
  const far = Math.hypot(x - EYE[0], z - EYE[2]);
  const leafSize = 0.15 * Math.max(1, far / 24);
  const perTwig = Math.round(70 * Math.min(1, (24 / far) ** 1.2)) + 14;
  const hue = random();
  const grow = (from, along, length, radius, depth) => {
    const bend = unit([0, 1, 2].map((k) => along[k] + (random() - 0.5) * 0.35 + (k === 1 ? 0.08 : 0)));
    const to = from.map((p, k) => p + bend[k] * length);
    trunk(mesh, from, to, radius, radius * 0.72);
    if (depth === 0 || radius < 0.02) {
      for (let i = 0; i < perTwig; i++) {
        const spread = length * 0.95;
        const at = to.map((p) => p + ((random() + random() + random()) / 1.5 - 1) * spread);
        const out = unit([random() - 0.5, (random() - 0.6) * 0.7, random() - 0.5]);
        leaf(mesh, random, at, out, leafSize * (0.7 + 0.6 * random()), hue + 0.25 * random());
      }
      return;
    }
    const forks = depth > 3 ? 3 : 2 + (random() < 0.5);
    const turn = random() * 6.283;
    for (let i = 0; i < forks; i++) {
      const a = turn + (i / forks) * 6.283 + (random() - 0.5) * 0.5;
      const lean = 0.45 + 0.35 * random();
      const next = unit([bend[0] + Math.cos(a) * lean, bend[1] + 0.1, bend[2] + Math.sin(a) * lean]);
      grow(
        from.map((p, k) => mix(p, to[k], 0.8 + 0.2 * random())),
        next,
        length * (0.72 + 0.14 * random()),
        radius * 0.62,
        depth - 1,
      );
    }
  };
  grow([x, heightAt(x, z) - 0.1, z], [0, 1, 0], height * 0.26, height * 0.026, 5);
}

function trunk(mesh, from, to, r0, r1) {
  const along = unit([0, 1, 2].map((k) => to[k] - from[k]));
  const side = unit(cross(along, [0.31, 0.17, 0.93]));
  const other = cross(along, side);
  mesh.surface(
    r0 > 0.05 ? 12 : 5,
    r0 > 0.05 ? 6 : 1,
    (u, v) => {
      const a = u * 6.283;
      const r = mix(r0, r1, v) * (1 + 0.12 * Math.sin(a * 5 + v * 3) * (r0 > 0.08));
      return [0, 1, 2].map(
        (k) => mix(from[k], to[k], v) + (side[k] * Math.cos(a) + other[k] * Math.sin(a)) * r,
      );
    },
    BARK,
  );
}

function bush(mesh, random, x, z, size) {
  const y = heightAt(x, z);
  const hue = 0.3 + random();
  for (let i = 0; i < 2200; i++) {
    const d = unit([random() - 0.5, random() * 0.8, random() - 0.5]);
    const r = size * (0.55 + 0.5 * random()) * (0.8 + 0.4 * noise(d[0] * 3 + x, d[1] * 3, d[2] * 3 + z));
    leaf(
      mesh,
      random,
      [x + d[0] * r, y + d[1] * r, z + d[2] * r],
      d,
      0.05 + 0.03 * random(),
      hue + 0.2 * random(),
    );
  }
}

function paint(s, r, g, b) {
  s.r = r;
  s.g = g;
  s.b = b;
}

function shade({ material, x, y, z, u, v }, s) {
  switch (material) {
    case GROUND: {
      const tone = 0.7 + 0.6 * fractal(x * 1.8, z * 1.8, 2, 4);
      const wood = step(0.42, 0.6, fractal(x * 0.05, z * 0.05, 6, 4)) * step(40, 70, -z);
      const speckle = 0.6 + 0.8 * noise(x * 1.1, y * 1.1, z * 1.1);
      return paint(
        s,
        mix(0.13, 0.05 * speckle, wood) * tone,
        mix(0.15, 0.085 * speckle, wood) * tone,
        mix(0.045, 0.04 * speckle, wood) * tone,
      );
    }
    case BLADE: {
      s.through = 0.35;
      const dry = step(0.62, 0.95, u + 0.25 * fractal(x * 0.5, z * 0.5, 7, 2));
      const tone = 0.45 + 0.7 * v;
      return paint(s, mix(0.16, 0.42, dry) * tone, mix(0.27, 0.35, dry) * tone, mix(0.05, 0.14, dry) * tone);
    }
    case LEAF: {
      s.through = 0.38;
      s.f0 = 0.04;
      s.rough = 0.45;
      const hue = u % 1;
      const tone = 0.75 + 0.35 * noise(x * 3, y * 3, z * 3);
      return paint(s, mix(0.13, 0.27, hue) * tone, mix(0.24, 0.26, hue) * tone, mix(0.055, 0.06, hue) * tone);
    }
    case BARK: {
      const tone = 0.45 + 0.9 * noise(x * 22, y * 4, z * 22) * noise(x * 9, y * 9, z * 9);
      return paint(s, 0.24 * tone, 0.19 * tone, 0.14 * tone);
    }
    default: {
      s.through = 0.3;
      const petals = [
        [0.86, 0.84, 0.8],
        [0.84, 0.62, 0.08],
        [0.5, 0.3, 0.68],
        [0.75, 0.12, 0.09],
      ];
      const [r, g, b] = petals[Math.floor(u * 3.999)];
      return v < 0.3 ? paint(s, 0.8, 0.6, 0.1) : paint(s, r, g, b);
    }
  }
}
