/** Tables that the caller fills in once, at the start of the memory. */

/**
 * For each of the 256 samples of a channel, 64 bits. The lower half is its linear light as an integer. The upper half is
 * its share of the luminance level, with 16 bits of fraction (red includes half a level, so that levels are rounded).
 * One sum of three entries gives a level; the lower halves, summed over a block, give its light.
 */
export const RED: usize = 1024;
export const GREEN: usize = RED + 256 * sizeof<u64>();
export const BLUE: usize = GREEN + 256 * sizeof<u64>();
/** The eye's response to each level, f32. */
export const RESPONSE: usize = BLUE + 256 * sizeof<u64>();
const RESPONSES: usize = 16_387;
export const FREE: usize = (RESPONSE + RESPONSES * sizeof<f32>() + 15) & ~15;
