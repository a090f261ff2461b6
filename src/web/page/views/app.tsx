import { announcement } from '../state/announcements';
import { apiKey, freshKey } from '../state/credentials';
import { pause } from '../state/queue';
import { CompareDialog } from './compare-dialog';
import { DropZone } from './drop-zone';
import { FreshKey } from './fresh-key';
import { JobList } from './job-list';
import { KeyPanel } from './key-panel';
import { Limits } from './limits';
import { PauseNotice } from './pause-notice';
import { SiteHeader } from './site-header';

export function App() {
  const needsKey = !apiKey.value || pause.value?.kind === 'key-refused';
  return (
    <>
      <SiteHeader />
      <main>
        <div class="intro">
          <h1>Smaller images that look the same</h1>
          <p>
            Each JPG and PNG is saved as small as it gets without a difference that can be seen, and the
            result is checked before you get it.
          </p>
        </div>
        {needsKey && <KeyPanel />}
        {freshKey.value && <FreshKey apiKey={freshKey.value} />}
        <DropZone />
        <PauseNotice />
        <JobList />
      </main>
      <footer>
        <Limits />
      </footer>
      <CompareDialog />
      <div class="visually-hidden" role="status">
        {announcement}
      </div>
    </>
  );
}
