import { render } from 'preact';
import { followAccount } from './state/account';
import { announceEnds } from './state/announcements';
import { followKeyLinks } from './state/entry';
import { followOptions } from './state/options';
import { startQueue } from './state/queue';
import { followTab } from './state/summary';
import { App } from './views/app';
import './styles/base.css';
import './styles/panels.css';
import './styles/jobs.css';
import './styles/compare.css';

followKeyLinks();
startQueue();
followAccount();
announceEnds();
followTab();
followOptions();
const place = document.getElementById('page');
if (place) {
  place.replaceChildren();
  render(<App />, place);
}
