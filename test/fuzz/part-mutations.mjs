/** Mutations that files of parts have in common, such as segments or chunks. */
export const setByte = (bytes, offset, value) => {
  if (bytes.length > 0) bytes[offset % bytes.length] = value & 255;
};

const copy = (part) =>
  Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, Buffer.isBuffer(value) ? Buffer.from(value) : value]),
  );

/** Of the list of parts. @param content the name of the bytes of a part */
export const kindsOfParts = (content) => ({
  cutPayload: (s, { part, offset }) => {
    const one = s[part % s.length];
    one[content] = one[content].subarray(0, offset % (one[content].length + 1));
  },
  remove: (s, { part }) => void (s.length > 1 && s.splice(part % s.length, 1)),
  duplicate: (s, { part, offset }) => void s.splice(offset % s.length, 0, copy(s[part % s.length])),
  swap: (s, { part, offset }) => {
    const [a, b] = [part % s.length, offset % s.length];
    [s[a], s[b]] = [s[b], s[a]];
  },
  repeat: (s, { part, value }) => {
    const at = part % s.length;
    s.splice(at, 0, ...Array.from({ length: value % 300 }, () => copy(s[at])));
  },
});

/** Of the whole file. @param signatureBytes that stay */
export const kindsOfFiles = (signatureBytes) => ({
  cutFile: (file, { offset }) => file.subarray(0, Math.max(signatureBytes, offset % (file.length + 1))),
  flip: (file, { offset, value }) => {
    setByte(file, Math.max(signatureBytes, offset % file.length), value);
    return file;
  },
  append: (file, { bytes }) => Buffer.concat([file, bytes]),
});

/** Returns the file with the mutations of its parts, and then those of the whole. */
export function mutated(parts, mutations, { kinds, fileKinds, putTogether }) {
  if (parts.length > 0) for (const mutation of mutations) kinds[mutation.kind]?.(parts, mutation);
  return mutations.reduce((bytes, m) => fileKinds[m.kind]?.(bytes, m) ?? bytes, putTogether(parts));
}
