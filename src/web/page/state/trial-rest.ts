import { findAccount } from '../api/account';

/** The service gives the place of an image back after its response: asked so often, a busy one may take its time. */
const GIVE_BACK_MS = [300, 700, 1500];

/**
 * Returns the account when what is left of its trial is certain.
 * @param isPlaceDue whether a place may come back; without one, the first response is certain
 */
export async function findRest(key: string, isPlaceDue: boolean): ReturnType<typeof findAccount> {
  for (const waitMs of isPlaceDue ? GIVE_BACK_MS : []) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const response = await findAccount(key);
    if (response.kind === 'refused' || response.value.trial?.imagesLeft !== 0) return response;
  }
  return findAccount(key);
}
