import { facts } from '../../api/facts';
import iconUrl from '../../icon.svg';
import { account } from '../../state/account';
import { apiKey, trial } from '../../state/credentials';
import { areKeysShown, openPanel, shownPanel } from '../../state/panel';
import { signOut } from '../../state/removals';
import { hasUnsavedResults } from '../../state/summary';
import { isAskingToSignOut } from '../account/questions';
import { focusFileInput, KEYS_BUTTON } from '../parts/focus';

export function SiteHeader() {
  return (
    <header class="site-header row">
      <span class="brand row grow">
        <img src={iconUrl} alt="" width="28" height="28" />
        <span>Image compression</span>
      </span>
      <a class="header-link hint" href="/docs">
        API
      </a>
      {apiKey.value ? <SignedIn apiKey={apiKey.value} /> : <Visitor />}
    </header>
  );
}

function SignedIn({ apiKey: key }: { readonly apiKey: string }) {
  const leave = () => {
    if (hasUnsavedResults.value) isAskingToSignOut.value = true;
    else {
      signOut();
      focusFileInput();
    }
  };
  return (
    <div class="account row hint">
      <span class="clipped">{account.value?.email ?? `Key ${key.slice(0, 10)}…`}</span>
      <button
        id={KEYS_BUTTON}
        class="quiet"
        aria-expanded={areKeysShown.value}
        onClick={() => (areKeysShown.value = !areKeysShown.value)}
      >
        Keys
      </button>
      <button class="quiet" onClick={leave}>
        Sign out
      </button>
    </div>
  );
}

function Visitor() {
  const isOpen = shownPanel.value !== undefined;
  return (
    <div class="account row hint">
      {trial.value && (
        <span class="clipped" data-testid="trial">
          Trial: {trial.value.imagesLeft} of {trial.value.images} left
        </span>
      )}
      {!isOpen && (
        <>
          <button class="quiet" onClick={() => openPanel('paste')}>
            I have a key
          </button>
          {facts.signup !== 'closed' && <button onClick={() => openPanel('sign-up')}>Sign up</button>}
        </>
      )}
    </div>
  );
}
