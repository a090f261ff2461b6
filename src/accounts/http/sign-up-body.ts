import { z } from 'zod';

/** The JSON body of a sign-up. A `code` that is not a string is ignored. */
export const signUpBody = z.object({
  email: z.string().max(254).meta({ format: 'email' }),
  code: z.string().optional().catch(undefined).describe('The invitation code, if sign-up needs one.'),
});
