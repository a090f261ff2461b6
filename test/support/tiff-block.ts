/** Writes TIFF blocks in either byte order, independently of the service. */
type Field = { readonly tag: number } & (
  | { readonly ascii: string }
  | { readonly shorts: readonly number[] }
  /** Numerators and denominators. */
  | { readonly rationals: readonly number[] }
  | { readonly directory: readonly Field[] }
);

export function tiffBlock(isLittleEndian: boolean, fields: readonly Field[]): Buffer {
  const uint = (bytes: 2 | 4, ...values: readonly number[]) => {
    const out = Buffer.alloc(bytes * values.length);
    values.forEach((value, i) =>
      isLittleEndian ? out.writeUIntLE(value, i * bytes, bytes) : out.writeUIntBE(value, i * bytes, bytes),
    );
    return out;
  };
  const directory = (of: readonly Field[], start: number): Buffer => {
    let valueAt = start + 2 + of.length * 12 + 4;
    const values: Buffer[] = [];
    const entries = of.map((field) => {
      const [type, count, value] =
        'ascii' in field
          ? [2, field.ascii.length + 1, Buffer.from(`${field.ascii}\0`, 'latin1')]
          : 'shorts' in field
            ? [3, field.shorts.length, uint(2, ...field.shorts)]
            : 'rationals' in field
              ? [5, field.rationals.length / 2, uint(4, ...field.rationals)]
              : [4, 1, undefined];
      const data = 'directory' in field ? directory(field.directory, valueAt) : value!;
      const head = [uint(2, field.tag, type), uint(4, count)];
      if (!('directory' in field) && data.length <= 4)
        return Buffer.concat([...head, data, Buffer.alloc(4 - data.length)]);
      const entry = Buffer.concat([...head, uint(4, valueAt)]);
      values.push(data, Buffer.alloc(data.length % 2));
      valueAt += data.length + (data.length % 2);
      return entry;
    });
    return Buffer.concat([uint(2, of.length), ...entries, uint(4, 0), ...values]);
  };
  const order = Buffer.from(isLittleEndian ? 'II' : 'MM');
  return Buffer.concat([order, uint(2, 42), uint(4, 8), directory(fields, 8)]);
}
