import { account } from '../state/account';
import { apiKey, forgetKey } from '../state/credentials';
import iconUrl from '../icon.svg';

export function SiteHeader() {
  const key = apiKey.value;
  return (
    <header class="site-header">
      <span class="brand">
        <img src={iconUrl} alt="" width="28" height="28" />
        Image compression
      </span>
      {key && (
        <div class="account">
          <span class="account-name">{account.value?.email ?? `Key ${key.slice(0, 10)}…`}</span>
          <button type="button" class="quiet" onClick={forgetKey}>
            Sign out
          </button>
        </div>
      )}
    </header>
  );
}
