/** The dashboard and the alert rules use metrics that exist, and docs/operating.md explains all of them. */
import { parse } from 'yaml';
import { Folder, PROJECT } from '../support/folders';
import { photoJpeg } from '../support/images';
import { startService } from '../support/service';
import { hasPrograms } from '../support/services';
import { config, run } from './tools';
import { expectStatus } from '../support/responses';

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
}

const alertRules = config.text('observability/alerts.yaml');
const dashboard = config.json('observability/dashboard.json') as Dashboard;
const manual = PROJECT.text('docs/operating.md');

const alerts = (
  parse(alertRules) as { groups: { rules: { alert: string; expr: string }[] }[] }
).groups.flatMap(({ rules }) => rules);
const panelQueries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const FOREIGN = /^(up|container_\w+)$/;

/** Returns names and labels of all metrics, after the service has served and refused a request. */
async function toldMetrics() {
  const service = await startService({ WORKERS: '1' });
  try {
    const { send } = await service.signUp();
    await expectStatus(send(await photoJpeg(640, 480)), 200);
    await expectStatus(send(Buffer.from('no image')), 415);
    const series = Object.keys(await service.metrics());
    return { families: new Set(series.map((name) => name.replace(/\{.*/, ''))), series };
  } finally {
    await service.stop();
  }
}

let told: Awaited<ReturnType<typeof toldMetrics>>;
beforeAll(async () => (told = await toldMetrics()));

/** Returns the possible metrics in an expression: words with an underscore, outside of label matchers. */
const metricsIn = (expression: string) =>
  [...expression.replace(/\{[^}]*\}/g, '').matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b|\bup\b/g)]
    .map(([name]) => name)
    .filter((name) => !/^(histogram_quantile|group_left|group_right|label_values)$/.test(name));

it.each([
  ...alerts.map(({ alert, expr }) => [`alert ${alert}`, expr]),
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [`panel ${title}`, expr]),
  ),
  ...dashboard.templating.list
    .filter(({ query }) => query.includes('('))
    .map(({ query }) => ['variable', query]),
])('%s uses metrics and labels that exist', (_, expression) => {
  const names = metricsIn(expression);
  expect(names).not.toEqual([]);
  for (const name of names.filter((each) => !FOREIGN.test(each))) expect(told.families).toContain(name);
  for (const [, name, matchers] of expression.matchAll(/(\w+)\{([^}]*)\}/g)) {
    if (FOREIGN.test(name)) continue;
    for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
      // Added by Prometheus when it scrapes.
      if (label === 'instance' || label === 'job') continue;
      expect(told.series.filter((each) => each.startsWith(`${name}{`)).join()).toContain(`${label}="`);
    }
  }
});

it('the route that rules and panels name is the one that is counted', () => {
  const routes = [alertRules, ...panelQueries].flatMap((text) => [...text.matchAll(/route="([^"]*)"/g)]);
  expect(routes.length).toBeGreaterThan(0);
  for (const [, route] of routes) {
    expect(told.series.some((each) => each.includes(`route="${route}"`))).toBe(true);
  }
});

it('docs/operating.md lists every metric of the service, and no other', () => {
  const documented = [...manual.matchAll(/^- `ics_[^:]*/gm)].flatMap(
    ([cell]) => cell.match(/ics_\w+/g) ?? [],
  );
  const ours = [...told.families].filter((name) => name.startsWith('ics_'));
  const families = new Set(ours.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  expect(documented.sort()).toEqual([...families].sort());
});

it('docs/operating.md explains every alert, and no other', () => {
  const explained = [...manual.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  expect(explained.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
});

const withPromtool = hasPrograms('promtool') ? it : it.skip;

withPromtool('promtool accepts the rules, and they fire when they should', () => {
  for (const args of [
    ['check', 'rules', config.path('observability/alerts.yaml')],
    ['test', 'rules', config.path('observability/alerts.test.yaml')],
  ]) {
    const { status, output } = run('promtool', ...args);
    expect({ status, output }).toMatchObject({ status: 0 });
  }
  const tested = config.text('observability/alerts.test.yaml');
  for (const { alert } of alerts) expect(tested).toContain(`alertname: ${alert}`);
});

withPromtool('the queries of the dashboard are PromQL', () => {
  const filled = (expr: string) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*');
  const rules = panelQueries.map((expr, i) => ({ record: `query:${i}`, expr: filled(expr) }));
  const place = new Folder();
  place.put('panels.yaml', JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  const { status, output } = run('promtool', 'check', 'rules', place.path('panels.yaml'));
  expect({ status, output }).toMatchObject({ status: 0 });
});
