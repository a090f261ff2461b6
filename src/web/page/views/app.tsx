import { announcement } from '../state/announcements';
import { jobs } from '../state/jobs';
import { CompareDialog } from './compare/comparison';
import { DropZone } from './start/drop-zone';
import { Account, TrialOffer } from './account/account';
import { Expectations, Intro, Samples, Limits } from './start/intro';
import { FormatBar } from './list/format-bar';
import { KeyList } from './account/key-list';
import { KeyLinkDialog, SignOutDialog } from './account/questions';
import { JobList } from './list/job-list';
import { OptionsPanel } from './start/options';
import { SiteHeader } from './start/site-header';
import { UndoToast } from './list/removals';

export function App() {
  const isEmpty = jobs.value.length === 0;
  return (
    <>
      <SiteHeader />
      <main class="stack">
        {isEmpty ? <Intro /> : <h1 class="visually-hidden">Smaller images that look the same</h1>}
        <KeyList />
        {isEmpty && <Account />}
        <DropZone />
        {isEmpty && <FormatBar />}
        <OptionsPanel />
        {isEmpty && <Samples />}
        <JobList />
        <TrialOffer />
        {isEmpty && <Expectations />}
      </main>
      <footer class="muted small">
        <Limits />
        <p>
          <a href="/docs">API reference</a>
        </p>
      </footer>
      <CompareDialog />
      <SignOutDialog />
      <KeyLinkDialog />
      <UndoToast />
      <div class="visually-hidden" role="status">
        {announcement}
      </div>
    </>
  );
}
