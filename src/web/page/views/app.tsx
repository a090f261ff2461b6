import { announcement } from '../state/announcements';
import { freshKey } from '../state/credentials';
import { jobs } from '../state/jobs';
import { shownPanel } from '../state/panel';
import { CompareDialog } from './compare-dialog';
import { DropZone } from './drop-zone';
import { FreshKey } from './fresh-key';
import { Expectations, Intro, Samples } from './intro';
import { JobList } from './job-list';
import { KeyPanel } from './key-panel';
import { Limits } from './limits';
import { OptionsPanel } from './options';
import { SignOutDialog } from './sign-out-dialog';
import { SiteHeader } from './site-header';
import { TrialOffer } from './trial-offer';
import { UndoToast } from './undo-toast';

export function App() {
  const isEmpty = jobs.value.length === 0;
  return (
    <>
      <SiteHeader />
      <main>
        {isEmpty ? <Intro /> : <h1 class="visually-hidden">Smaller images that look the same</h1>}
        {shownPanel.value && <KeyPanel />}
        {freshKey.value && <FreshKey apiKey={freshKey.value} />}
        <DropZone />
        <OptionsPanel />
        {isEmpty && <Samples />}
        <JobList />
        <TrialOffer />
        {isEmpty && <Expectations />}
      </main>
      <footer>
        <Limits />
        <p>
          <a href="/docs">API reference</a>
        </p>
      </footer>
      <CompareDialog />
      <SignOutDialog />
      <UndoToast />
      <div class="visually-hidden" role="status">
        {announcement}
      </div>
    </>
  );
}
