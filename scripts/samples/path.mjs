/**
 * A path tracer: sends rays from a lens into a scene, follows them from surface to surface, and gathers the light. Rows are
 * worked off by several threads; every pixel has its own random numbers, so their number changes nothing.
 *
 * A scene is {mesh, camera: {eye, target, fov, aperture, focus}, light, sky(x, y, z, out), shade(hit, s), haze?}:
 *   light.sample(x, y, z, u, v, out): direction, distance and light of a point of the lamp
 *   shade(hit, s): colour s.r, s.g, s.b; s.f0 (mirror share face on), s.rough, s.metal, s.through (light from behind),
 *   s.glow (a lamp), s.nx, s.ny, s.nz
 */
import { Tree } from './mesh.mjs';
import { hash } from './noise.mjs';

const BOUNCES = 3;
/** Brighter light from a mirrored lamp is cut: it would leave single white pixels. */
const BRIGHTEST = 6;
/** Rougher surfaces mirror nothing that could be made out. */
const DULL = 0.22;

export class PathTracer {
  constructor(scene) {
    this.scene = scene;
    this.tree = new Tree(scene.mesh);
    this.s = {};
    this.sample = new Float64Array(7);
    this.sky = new Float64Array(3);
    this.light = new Float64Array(3);
    this.first = new Float64Array(7);
    const { eye, target } = scene.camera;
    const forward = norm(target.map((t, a) => t - eye[a]));
    const right = norm([-forward[2], 0, forward[0]]);
    this.axes = { forward, right, up: cross(right, forward) };
  }

  /**
   * Renders part of a row of an image.
   * @returns 10 numbers a pixel: light, colour of the first surface, its normal, its distance
   */
  region(width, height, left, y, pixels, samples) {
    const out = new Float32Array(pixels * 10);
    const { eye, fov, aperture, focus } = this.scene.camera;
    const { forward, right, up } = this.axes;
    const scale = Math.tan((fov * Math.PI) / 360) / height;
    for (let at = 0; at < out.length; at += 10) {
      const x = left + at / 10;
      this.pixel = y * width + x;
      for (let n = 0; n < samples; n++) {
        this.n = n;
        this.pair = 0;
        const [a, b] = this.two();
        const px = (2 * (x + a) - width) * scale;
        const py = (height - 2 * (y + b)) * scale;
        const [c, d] = this.two();
        const radius = Math.sqrt(c) * aperture;
        const lx = radius * Math.cos(d * 2 * Math.PI);
        const ly = radius * Math.sin(d * 2 * Math.PI);
        const o = [0, 1, 2].map((k) => eye[k] + right[k] * lx + up[k] * ly);
        const r = norm(
          [0, 1, 2].map((k) => eye[k] + (forward[k] + right[k] * px + up[k] * py) * focus - o[k]),
        );
        this.follow(o[0], o[1], o[2], r[0], r[1], r[2]);
        for (let k = 0; k < 3; k++) out[at + k] += Math.min(BRIGHTEST, this.light[k]) / samples;
        for (let k = 0; k < 7; k++) out[at + 3 + k] += this.first[k] / samples;
      }
    }
    return out;
  }

  /** The next pair of numbers of this sample: evenly spread over the samples of a pixel. */
  two() {
    const seed = Math.imul(this.pixel, 64) + this.pair++;
    const u = hash(seed) + this.n * 0.7548776662466927;
    const v = hash(seed ^ 0x5bd1e995) + this.n * 0.5698402909980532;
    return [u - Math.floor(u), v - Math.floor(v)];
  }

  follow(ox, oy, oz, dx, dy, dz) {
    const { scene, tree, s, sky, light, first } = this;
    light.fill(0);
    let [tr, tg, tb] = [1, 1, 1];
    let isSeenDirectly = true;
    let travelled = 0;
    for (let bounce = 0; ; bounce++) {
      const isFirst = bounce === 0;
      if (!tree.hit(ox, oy, oz, dx, dy, dz, 1e9)) {
        scene.sky(dx, dy, dz, sky, isSeenDirectly);
        light[0] += tr * sky[0];
        light[1] += tg * sky[1];
        light[2] += tb * sky[2];
        if (isFirst) first.set([1, 1, 1, 0, 0, 0, 1e3]);
        return;
      }
      travelled += tree.t;
      const [x, y, z] = [ox + dx * tree.t, oy + dy * tree.t, oz + dz * tree.t];
      this.look(x, y, z, dx, dy, dz);
      if (s.glow > 0) {
        if (isSeenDirectly) for (let k = 0; k < 3; k++) light[k] += [tr, tg, tb][k] * s.glow;
        if (isFirst) first.set([1, 1, 1, s.nx, s.ny, s.nz, tree.t]);
        return;
      }
      if (isFirst) {
        const f = s.metal ? 1 : 0;
        first.set([f || s.r, f || s.g, f || s.b, s.nx, s.ny, s.nz, tree.t]);
      }
      if (isFirst && scene.haze) {
        const clear = scene.haze(travelled, y, dx, dy, dz, sky);
        for (let k = 0; k < 3; k++) light[k] += sky[k] * (1 - clear);
        tr *= clear;
        tg *= clear;
        tb *= clear;
      }
      const facing = -(dx * s.nx + dy * s.ny + dz * s.nz);
      const fresnel = s.metal ? 1 : s.f0 + (1 - s.f0) * (1 - Math.max(0, facing)) ** 5 * (1 - s.rough);
      const [choice, flip] = this.two();
      const [u, v] = this.two();
      // Dull surfaces have their highlights from the lamp alone; see `lit`.
      const isMirror = s.metal || (s.f0 > 0 && s.rough < DULL);
      const chance = s.metal ? 1 : isMirror ? Math.max(fresnel, 0.3) : 0;
      if (choice < chance) {
        const share = fresnel / chance;
        [tr, tg, tb] = [tr * share, tg * share, tb * share];
        // A mirror, its normal shaken by the roughness.
        const spread = s.rough * s.rough * Math.sqrt(u / (1.0001 - u));
        const [hx, hy, hz] = around(s.nx, s.ny, s.nz, spread, v);
        const twice = 2 * (dx * hx + dy * hy + dz * hz);
        [dx, dy, dz] = [dx - twice * hx, dy - twice * hy, dz - twice * hz];
        if (dx * s.nx + dy * s.ny + dz * s.nz <= 0) return;
        if (s.metal) [tr, tg, tb] = [tr * s.r, tg * s.g, tb * s.b];
        isSeenDirectly = true;
      } else {
        const rest = (1 - (isMirror ? fresnel : 0)) / (1 - chance);
        [tr, tg, tb] = [tr * rest, tg * rest, tb * rest];
        this.lit(x, y, z, dx, dy, dz, tr, tg, tb);
        if (bounce === BOUNCES - 1) return;
        const isThrough = flip < s.through;
        const sign = isThrough ? -1 : 1;
        [tr, tg, tb] = [tr * s.r, tg * s.g, tb * s.b];
        const r = Math.sqrt(u);
        const tangentLength = r / Math.max(1e-6, Math.sqrt(1 - u));
        [dx, dy, dz] = around(sign * s.nx, sign * s.ny, sign * s.nz, tangentLength, v);
        isSeenDirectly = false;
      }
      if (bounce === BOUNCES) return;
      const side = dx * s.gx + dy * s.gy + dz * s.gz > 0 ? 1e-3 : -1e-3;
      [ox, oy, oz] = [x + s.gx * side, y + s.gy * side, z + s.gz * side];
    }
  }

  /** Adds what the lamp sends to this point. */
  lit(x, y, z, dx, dy, dz, tr, tg, tb) {
    const { scene, tree, s, sample, light } = this;
    const [u, v] = this.two();
    scene.light.sample(x, y, z, u, v, sample);
    const [lx, ly, lz, far, er, eg, eb] = sample;
    let share = lx * s.nx + ly * s.ny + lz * s.nz;
    share = share > 0 ? share * (1 - s.through) : -share * s.through;
    if (share <= 0) return;
    const side = lx * s.gx + ly * s.gy + lz * s.gz > 0 ? 2e-3 : -2e-3;
    if (tree.hit(x + s.gx * side, y + s.gy * side, z + s.gz * side, lx, ly, lz, far, true)) return;
    const shine = s.f0 > 0 && s.rough >= DULL ? highlight(s, lx - dx, ly - dy, lz - dz, -dx, -dy, -dz) : 0;
    light[0] += tr * er * share * (s.r + shine);
    light[1] += tg * eg * share * (s.g + shine);
    light[2] += tb * eb * share * (s.b + shine);
  }

  /** What the ray has hit: place, normal, texture, and what it is made of. */
  look(x, y, z, dx, dy, dz) {
    const { tree, scene, s } = this;
    const { normals, places, materials } = scene.mesh;
    const i = tree.id * 9;
    const [u, v] = [tree.u, tree.v];
    const w = 1 - u - v;
    const mixed = (d, a) => d[i + a] * w + d[i + 3 + a] * u + d[i + 6 + a] * v;
    const n = norm([mixed(normals.data, 0), mixed(normals.data, 1), mixed(normals.data, 2)]);
    const sign = n[0] * dx + n[1] * dy + n[2] * dz > 0 ? -1 : 1;
    [s.nx, s.ny, s.nz] = [n[0] * sign, n[1] * sign, n[2] * sign];
    [s.gx, s.gy, s.gz] = [s.nx, s.ny, s.nz];
    Object.assign(s, { f0: 0, rough: 0.5, metal: false, through: 0, glow: 0 });
    scene.shade(
      {
        material: materials[tree.id],
        x,
        y,
        z,
        u: mixed(places.data, 0),
        v: mixed(places.data, 1),
        distance: tree.t,
      },
      s,
    );
  }
}

/** The shine of a dull surface (GGX) for the half vector h of lamp and viewer, as a multiple of white paper's. */
function highlight(s, hx, hy, hz, vx, vy, vz) {
  const [x, y, z] = norm([hx, hy, hz]);
  const a = s.rough * s.rough;
  const cos = Math.max(0, x * s.nx + y * s.ny + z * s.nz);
  const density = (a * a) / (cos * cos * (a * a - 1) + 1) ** 2;
  const facing = Math.max(0.1, vx * s.nx + vy * s.ny + vz * s.nz);
  const fresnel = s.f0 + (1 - s.f0) * (1 - Math.max(0, vx * x + vy * y + vz * z)) ** 5;
  return Math.min(4, (density * fresnel) / (4 * facing));
}

/** A direction near n: `spread` is the tangent of the angle to it, `v` the turn around it. */
function around(nx, ny, nz, spread, v) {
  const a = v * 2 * Math.PI;
  const sign = nz >= 0 ? 1 : -1;
  const p = -1 / (sign + nz);
  const q = nx * ny * p;
  const [c, d] = [spread * Math.cos(a), spread * Math.sin(a)];
  return norm([
    nx + c * (1 + sign * nx * nx * p) + d * q,
    ny + c * sign * q + d * (sign + ny * ny * p),
    nz - c * sign * nx - d * ny,
  ]);
}

function norm([x, y, z]) {
  const length = Math.sqrt(x * x + y * y + z * z) || 1;
  return [x / length, y / length, z / length];
}

function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
