/** Triangles, and the tree that finds the first one on a ray. */

const LEAF = 4;
const BINS = 12;

export class Mesh {
  positions = new Floats();
  normals = new Floats();
  places = new Floats();
  materials = [];

  /** Corners, their normals and texture places, each three arrays. */
  triangle(corners, normals, places, material) {
    for (const corner of corners) this.positions.push(corner[0], corner[1], corner[2]);
    for (const normal of normals) this.normals.push(normal[0], normal[1], normal[2]);
    for (const place of places) this.places.push(place[0], place[1], 0);
    this.materials.push(material);
  }

  /** A surface over the unit square, smooth: `point(u, v)` gives its place in space. */
  surface(columns, rows, point, material, place = (u, v) => [u, v]) {
    const width = columns + 1;
    const points = [];
    for (let j = 0; j <= rows; j++)
      for (let i = 0; i <= columns; i++) points.push(point(i / columns, j / rows));
    const normals = points.map((_, n) => {
      const [i, j] = [n % width, Math.floor(n / width)];
      const across = minus(
        points[j * width + Math.min(i + 1, columns)],
        points[j * width + Math.max(i - 1, 0)],
      );
      const down = minus(points[Math.min(j + 1, rows) * width + i], points[Math.max(j - 1, 0) * width + i]);
      return unit(cross(down, across));
    });
    for (let j = 0; j < rows; j++) {
      for (let i = 0; i < columns; i++) {
        const n = [j * width + i, j * width + i + 1, (j + 1) * width + i, (j + 1) * width + i + 1];
        const uv = n.map((k) => place((k % width) / columns, Math.floor(k / width) / rows));
        for (const corners of [
          [0, 2, 1],
          [1, 2, 3],
        ])
          this.triangle(
            corners.map((c) => points[n[c]]),
            corners.map((c) => normals[n[c]]),
            corners.map((c) => uv[c]),
            material,
          );
      }
    }
  }

  /** A surface of revolution about the y axis, moved by `to`. `profile(v)` gives [radius, height]. */
  revolved(columns, rows, profile, material, to = (p) => p) {
    this.surface(
      columns,
      rows,
      (u, v) => {
        const [radius, height] = profile(v, u);
        const angle = u * 2 * Math.PI;
        return to([radius * Math.cos(angle), height, radius * Math.sin(angle)]);
      },
      material,
    );
  }

  /** A hair: a ribbon that faces `eye`, shaded as if it were round. */
  strand(points, radius, eye, material, shade = 0) {
    for (let i = 0; i + 1 < points.length; i++) {
      const [from, to] = [points[i], points[i + 1]];
      const side = unit(cross(minus(to, from), minus(eye, from)));
      const front = unit(cross(side, minus(to, from)));
      const taper = (k) => radius * (1 - 0.6 * (k / (points.length - 1)) ** 2);
      const corner = (p, k, s) => [0, 1, 2].map((a) => p[a] + side[a] * taper(k) * s);
      const normal = (s) => unit([0, 1, 2].map((a) => front[a] * 0.7 + side[a] * s));
      const [a, b, c, d] = [
        corner(from, i, -1),
        corner(from, i, 1),
        corner(to, i + 1, -1),
        corner(to, i + 1, 1),
      ];
      const along = [i / (points.length - 1), (i + 1) / (points.length - 1)];
      const ends = [
        [shade, along[0]],
        [shade, along[0]],
        [shade, along[1]],
        [shade, along[1]],
      ];
      this.triangle([a, b, c], [normal(-1), normal(1), normal(-1)], [ends[0], ends[1], ends[2]], material);
      this.triangle([b, d, c], [normal(1), normal(1), normal(-1)], [ends[1], ends[3], ends[2]], material);
    }
  }

  /** A box with its sides along the axes turned by `angle` about y. */
  box(centre, size, angle, material, place = (u, v) => [u, v]) {
    const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
    const turned = ([x, y, z]) => [
      centre[0] + x * cos + z * sin,
      centre[1] + y,
      centre[2] - x * sin + z * cos,
    ];
    const [w, h, d] = size.map((s) => s / 2);
    const sides = [
      (u, v) => [w * (2 * u - 1), h * (1 - 2 * v), d],
      (u, v) => [w * (1 - 2 * u), h * (1 - 2 * v), -d],
      (u, v) => [w, h * (1 - 2 * v), d * (1 - 2 * u)],
      (u, v) => [-w, h * (1 - 2 * v), d * (2 * u - 1)],
      (u, v) => [w * (2 * u - 1), h, d * (2 * v - 1)],
      (u, v) => [w * (2 * u - 1), -h, d * (1 - 2 * v)],
    ];
    sides.forEach((side, index) =>
      this.surface(
        1,
        1,
        (u, v) => turned(side(u, v)),
        material,
        (u, v) => [...place(u, v), index].slice(0, 2).map((p) => p + index * 10),
      ),
    );
  }
}

/** A list of numbers that grows. */
class Floats {
  data = new Float32Array(1 << 16);
  length = 0;

  push(a, b, c) {
    if (this.length + 3 > this.data.length) {
      const larger = new Float32Array(this.data.length * 2);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = a;
    this.data[this.length++] = b;
    this.data[this.length++] = c;
  }
}

export const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export function unit(a) {
  const length = Math.hypot(a[0], a[1], a[2]) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
}

/** A bounding volume hierarchy: each node a box; leaves hold up to LEAF triangles. Split where the surface areas say. */
export class Tree {
  /** What the last ray hit. */
  t = 0;
  id = -1;
  u = 0;
  v = 0;

  constructor({ positions, materials }) {
    const count = materials.length;
    const p = positions.data;
    const [low, high, middle] = [
      new Float32Array(count * 3),
      new Float32Array(count * 3),
      new Float32Array(count * 3),
    ];
    for (let i = 0; i < count; i++)
      for (let a = 0; a < 3; a++) {
        const [x, y, z] = [p[i * 9 + a], p[i * 9 + 3 + a], p[i * 9 + 6 + a]];
        low[i * 3 + a] = Math.min(x, y, z);
        high[i * 3 + a] = Math.max(x, y, z);
        middle[i * 3 + a] = (low[i * 3 + a] + high[i * 3 + a]) / 2;
      }
    this.order = Uint32Array.from({ length: count }, (_, i) => i);
    this.boxes = new Float32Array(count * 12);
    this.first = new Int32Array(count * 2);
    this.count = new Uint8Array(count * 2);
    this.axis = new Uint8Array(count * 2);
    this.nodes = 0;
    this.#split(low, high, middle, 0, count);
    this.corners = new Float32Array(count * 9);
    for (let n = 0; n < count; n++) {
      const i = this.order[n] * 9;
      for (let a = 0; a < 3; a++) {
        this.corners[n * 9 + a] = p[i + a];
        this.corners[n * 9 + 3 + a] = p[i + 3 + a] - p[i + a];
        this.corners[n * 9 + 6 + a] = p[i + 6 + a] - p[i + a];
      }
    }
    this.stack = new Int32Array(128);
  }

  #split(low, high, middle, from, to) {
    const node = this.nodes++;
    const box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
    const span = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
    for (let n = from; n < to; n++) {
      const i = this.order[n] * 3;
      for (let a = 0; a < 3; a++) {
        if (low[i + a] < box[a]) box[a] = low[i + a];
        if (high[i + a] > box[a + 3]) box[a + 3] = high[i + a];
        if (middle[i + a] < span[a]) span[a] = middle[i + a];
        if (middle[i + a] > span[a + 3]) span[a + 3] = middle[i + a];
      }
    }
    this.boxes.set(box, node * 6);
    this.first[node] = from;
    this.count[node] = 0;
    if (to - from <= LEAF) {
      this.count[node] = to - from;
      return node;
    }
    const [axis, place] = this.#bestCut(low, high, middle, span, from, to);
    let cut = from;
    for (let n = from; n < to; n++) {
      if (middle[this.order[n] * 3 + axis] < place) {
        const other = this.order[cut];
        this.order[cut++] = this.order[n];
        this.order[n] = other;
      }
    }
    if (cut === from || cut === to) {
      cut = (from + to) >> 1;
      this.order.subarray(from, to).sort((a, b) => middle[a * 3 + axis] - middle[b * 3 + axis]);
    }
    this.axis[node] = axis;
    this.#split(low, high, middle, from, cut);
    // The first child follows its parent.
    this.first[node] = this.#split(low, high, middle, cut, to);
    return node;
  }

  #bestCut(low, high, middle, span, from, to) {
    let best = Infinity;
    let found = [0, 0];
    // Of many triangles some tell enough.
    const stride = Math.max(1, Math.floor((to - from) / 20000));
    for (let axis = 0; axis < 3; axis++) {
      const [start, width] = [span[axis], span[axis + 3] - span[axis]];
      if (width <= 0) continue;
      const counts = new Float64Array(BINS);
      const bounds = Array.from({ length: BINS }, () => [
        Infinity,
        Infinity,
        Infinity,
        -Infinity,
        -Infinity,
        -Infinity,
      ]);
      for (let n = from; n < to; n += stride) {
        const i = this.order[n] * 3;
        const bin = Math.min(BINS - 1, Math.floor(((middle[i + axis] - start) / width) * BINS));
        counts[bin]++;
        for (let a = 0; a < 3; a++) {
          if (low[i + a] < bounds[bin][a]) bounds[bin][a] = low[i + a];
          if (high[i + a] > bounds[bin][a + 3]) bounds[bin][a + 3] = high[i + a];
        }
      }
      const left = costs(counts, bounds, [...counts.keys()]);
      const right = costs(counts, bounds, [...counts.keys()].reverse());
      for (let bin = 1; bin < BINS; bin++) {
        const cost = left[bin - 1] + right[BINS - 1 - bin];
        if (cost < best) [best, found] = [cost, [axis, start + (width * bin) / BINS]];
      }
    }
    return found;
  }

  /** Finds the first triangle nearer than `far`. */
  hit(ox, oy, oz, dx, dy, dz, far, isAnyEnough = false) {
    const { boxes, first, count, axis, corners, stack } = this;
    const [ix, iy, iz] = [1 / dx, 1 / dy, 1 / dz];
    let found = -1;
    let top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const node = stack[--top];
      const b = node * 6;
      let t1 = (boxes[b] - ox) * ix;
      let t2 = (boxes[b + 3] - ox) * ix;
      let near = t1 < t2 ? t1 : t2;
      let end = t1 < t2 ? t2 : t1;
      t1 = (boxes[b + 1] - oy) * iy;
      t2 = (boxes[b + 4] - oy) * iy;
      near = Math.max(near, t1 < t2 ? t1 : t2);
      end = Math.min(end, t1 < t2 ? t2 : t1);
      t1 = (boxes[b + 2] - oz) * iz;
      t2 = (boxes[b + 5] - oz) * iz;
      near = Math.max(near, t1 < t2 ? t1 : t2);
      end = Math.min(end, t1 < t2 ? t2 : t1);
      if (end < near || end < 0 || near > far) continue;
      if (count[node] === 0) {
        const isBackwards = (axis[node] === 0 ? dx : axis[node] === 1 ? dy : dz) < 0;
        stack[top++] = isBackwards ? node + 1 : first[node];
        stack[top++] = isBackwards ? first[node] : node + 1;
        continue;
      }
      for (let n = first[node], last = n + count[node]; n < last; n++) {
        const c = n * 9;
        const [ax, ay, az] = [corners[c + 3], corners[c + 4], corners[c + 5]];
        const [bx, by, bz] = [corners[c + 6], corners[c + 7], corners[c + 8]];
        const px = dy * bz - dz * by;
        const py = dz * bx - dx * bz;
        const pz = dx * by - dy * bx;
        const det = ax * px + ay * py + az * pz;
        if (det > -1e-14 && det < 1e-14) continue;
        const inverse = 1 / det;
        const [sx, sy, sz] = [ox - corners[c], oy - corners[c + 1], oz - corners[c + 2]];
        const u = (sx * px + sy * py + sz * pz) * inverse;
        if (u < 0 || u > 1) continue;
        const qx = sy * az - sz * ay;
        const qy = sz * ax - sx * az;
        const qz = sx * ay - sy * ax;
        const v = (dx * qx + dy * qy + dz * qz) * inverse;
        if (v < 0 || u + v > 1) continue;
        const t = (bx * qx + by * qy + bz * qz) * inverse;
        if (t < 1e-4 || t >= far) continue;
        if (isAnyEnough) return true;
        far = t;
        found = n;
        this.u = u;
        this.v = v;
      }
    }
    if (found < 0) return false;
    this.t = far;
    this.id = this.order[found];
    return true;
  }
}

/** Cumulated surface area times count. */
function costs(counts, bounds, order) {
  const box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
  let number = 0;
  return order.map((bin) => {
    number += counts[bin];
    for (let a = 0; a < 3; a++) {
      box[a] = Math.min(box[a], bounds[bin][a]);
      box[a + 3] = Math.max(box[a + 3], bounds[bin][a + 3]);
    }
    if (number === 0) return 0;
    const [x, y, z] = [box[3] - box[0], box[4] - box[1], box[5] - box[2]];
    return (x * y + y * z + z * x) * number;
  });
}
