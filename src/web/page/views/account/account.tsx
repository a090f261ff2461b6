import { freshKey } from '../../state/credentials';
import { FreshKey } from './fresh-key';
import { KeyBanner } from './key-banner';

/** The way to a key, and a new key: within the bar of the list if there is one, so that the list hardly moves. */
export function Account() {
  return (
    <>
      <KeyBanner />
      {freshKey.value && <FreshKey apiKey={freshKey.value} />}
    </>
  );
}
