/** Where the pixels of a coded image are shown after its crops, rotations and mirrors (ISO/IEC 23008-12, 6.5.9, 6.5.10 and 6.5.12). */

export class Place {
  /** Position in the coded image of the pixel that is shown at (x, y): `at + x · right + y · down`, each `[x, y]`. */
  at = [0, 0];
  right = [1, 0];
  down = [0, 1];
  isPlain = true;

  constructor(width, height) {
    Object.assign(this, { width, height });
    if (!(width > 0 && height > 0)) throw new Error('the file states an image without pixels');
  }

  /** Does what a property says, if it is about the place. */
  apply(type, reader) {
    if (type === 'irot') for (let turns = reader.uint(1) & 3; turns > 0; turns--) this.#turn();
    else if (type === 'imir') this.#mirror((reader.uint(1) & 1) === 1);
    else if (type === 'clap') this.#crop(reader);
    else return;
    this.isPlain = false;
  }

  /** By 90° anticlockwise. */
  #turn() {
    const { at, right, down, width, height } = this;
    const moved = [at[0] + right[0] * (width - 1), at[1] + right[1] * (width - 1)];
    Object.assign(this, {
      at: moved,
      right: down,
      down: right.map((each) => -each),
      width: height,
      height: width,
    });
  }

  /** Left and right change places, or else top and bottom. */
  #mirror(isSideways) {
    const [name, length] = isSideways ? ['right', this.width] : ['down', this.height];
    const step = this[name];
    this.at = [this.at[0] + step[0] * (length - 1), this.at[1] + step[1] * (length - 1)];
    this[name] = step.map((each) => -each);
  }

  /** To the clean aperture, whose centre is given relative to that of the image. */
  #crop(reader) {
    const fraction = (read) => {
      const [numerator, denominator] = [read(), reader.uint(4)];
      if (denominator === 0) throw new Error('the crop of the image is damaged');
      return numerator / denominator;
    };
    const [width, height] = [fraction(() => reader.uint(4)), fraction(() => reader.uint(4))];
    const [x, y] = [fraction(() => reader.int32()), fraction(() => reader.int32())];
    const side = (size, offset, whole) => {
      const start = Math.max(0, Math.round(offset + (whole - size) / 2));
      const end = Math.min(whole, start + Math.round(size));
      if (!(end > start)) throw new Error('the crop of the image leaves nothing');
      return [start, end - start];
    };
    const [left, newWidth] = side(width, x, this.width);
    const [top, newHeight] = side(height, y, this.height);
    const { at, right, down } = this;
    this.at = [0, 1].map((i) => at[i] + right[i] * left + down[i] * top);
    Object.assign(this, { width: newWidth, height: newHeight });
  }
}
