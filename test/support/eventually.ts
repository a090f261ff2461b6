const PATIENCE_MS = 120_000;
const PAUSE_MS = 50;

/** Repeats the assertion until it holds, and returns its value; when it never does, fails as the assertion did last. */
export async function eventually<T>(assertion: () => Promise<T> | T): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
