import { render } from 'preact';
import { followAccount } from './state/account';
import { announceEnds } from './state/announcements';
import { rememberOptions } from './state/options';
import { startQueue } from './state/queue';
import { followTab } from './state/summary';
import { App } from './views/app';
import './styles/base.css';
import './styles/panels.css';
import './styles/jobs.css';
import './styles/compare.css';

startQueue();
followAccount();
announceEnds();
followTab();
rememberOptions();
const place = document.getElementById('page');
if (place) {
  place.replaceChildren();
  render(<App />, place);
}
