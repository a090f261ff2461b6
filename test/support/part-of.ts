/** A part of an object, at any depth. Functions may have any arguments and results. */
type Parts<Whole> = Whole extends (...args: never[]) => unknown
  ? (...args: never[]) => unknown
  : Whole extends object
    ? { readonly [Name in keyof Whole]?: Parts<Whole[Name]> }
    : Whole;

/** Stands for an object of which the tested code uses this part only. */
export function partOf<Whole>(part: Parts<NoInfer<Whole>>) {
  return part as unknown as Whole;
}
