/** Why a file is left alone, as data: a stable code, and a sentence that fits after its name. */
export class FileFault extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The code of a FileFault, of the system, such as `ENOENT`, or of a database. */
export function findCode(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** For `catch`: passes every other error on. */
export function unlessCode(code: string) {
  return (error: unknown): undefined => {
    if (findCode(error) !== code) throw error;
  };
}
