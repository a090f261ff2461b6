import { findAccount } from '../api/account';

/** Delays between attempts, in milliseconds: a busy service returns the trial image late, after its response. */
const GIVE_BACK_MS = [300, 700, 1500];

/**
 * Returns the account once the number of images left in its trial is certain.
 * @param isPlaceDue whether an image may come back; if not, the first response is certain
 */
export async function findRest(key: string, isPlaceDue: boolean): ReturnType<typeof findAccount> {
  for (const waitMs of isPlaceDue ? GIVE_BACK_MS : []) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const response = await findAccount(key);
    if (response.kind === 'refused' || response.value.trial?.imagesLeft !== 0) return response;
  }
  return findAccount(key);
}
