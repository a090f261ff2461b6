import { announcement } from '../state/announcements';
import { jobs } from '../state/jobs';
import { CompareDialog } from './compare/comparison';
import { DropZone } from './start/drop-zone';
import { AccountDialog } from './account';
import { Expectations, Intro, Limits, Proof, Samples } from './start/intro';
import { Notice } from './list/notice';
import { ChoiceBar } from './list/choice-bar';
import { JobList } from './list/job-list';
import { SiteHeader } from './start/site-header';
import { UndoToast } from './list/removals';

export function App() {
  const isEmpty = jobs.value.length === 0;
  return (
    <>
      <SiteHeader />
      <main class={isEmpty ? 'stack first' : 'stack'}>
        {isEmpty ? <Intro /> : <h1 class="visually-hidden">Smaller images that look the same</h1>}
        {isEmpty && <Proof />}
        <DropZone />
        {isEmpty && <Notice />}
        {isEmpty && <Samples />}
        <ChoiceBar />
        <JobList />
        {isEmpty && <Expectations />}
      </main>
      <footer class="muted small">
        <Limits />
        <p>
          <a href="/docs">API reference</a>
        </p>
      </footer>
      <CompareDialog />
      <AccountDialog />
      <UndoToast />
      <div class="visually-hidden" role="status">
        {announcement}
      </div>
    </>
  );
}
