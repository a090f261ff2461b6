import { facts } from '../../api/facts';
import iconUrl from '../../icon.svg';
import { account, showAccount } from '../../state/account';
import { apiKey, trial } from '../../state/credentials';
import { countText } from '../../words/numbers';
import { ACCOUNT_BUTTON } from '../parts/focus';

export function SiteHeader() {
  const key = apiKey.value;
  return (
    <header class="site-header row">
      <span class="brand row grow">
        <img src={iconUrl} alt="" width="28" height="28" />
        <span>Image compression</span>
      </span>
      <a class="header-link hint" href="/docs">
        API
      </a>
      {key === undefined ? (
        facts.needsKey && <Visitor />
      ) : (
        <button id={ACCOUNT_BUTTON} class="quiet account" onClick={() => showAccount('account')}>
          <span class="visually-hidden">Account </span>
          <span class="clipped">{account.value?.email ?? `Key ${key.slice(0, 10)}…`}</span>
        </button>
      )}
    </header>
  );
}

function Visitor() {
  const left = trial.value;
  return (
    <>
      {left && (
        <span class="hint" data-testid="trial">
          {countText(left.imagesLeft, 'free image')} left
        </span>
      )}
      <button class="quiet" id={ACCOUNT_BUTTON} onClick={() => showAccount('sign-in')}>
        Sign in
      </button>
      {facts.signup !== 'closed' && <button onClick={() => showAccount('sign-up')}>Sign up</button>}
    </>
  );
}
