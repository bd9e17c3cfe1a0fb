/** An alert, the times at which it is quiet and at which it fires, and the labels that tell its place. */
interface Expectation {
  readonly alert: string
  readonly quiet?: string
  readonly fires?: string
  /** Default: one place without labels. */
  readonly of?: readonly string[]
}

/** Values of series, and what is expected of them. */
type Case = readonly [
  name: string,
  series: Readonly<Record<string, string>>,
  ...expected: readonly Expectation[],
]

const series = (name: string, labels: string) => `${name}{job="posthorn", ${labels}}`
const ofA = (name: string, labels = '') => series(`posthorn_${name}`, `instance="a"${labels}`)
const ofB = (name: string, labels = '') => series(`posthorn_${name}`, `instance="b"${labels}`)
const up = (instance: string) => series('up', `instance="${instance}"`)
const failed = ofA('attempts_total', ', outcome="failed", error_code="http_5xx"')
const succeeded = ofA('attempts_total', ', outcome="succeeded"')
const requests = (route: string, status: string) =>
  ofA('http_requests_total', `, route="${route}", status="${status}"`)

/** Each alert has a case in which it fires, and one in which it does not. */
export const CASES: readonly Case[] = [
  [
    'a process that does not answer for a minute',
    { [up('a')]: '1x4 0x20' },
    { alert: 'PosthornDown', quiet: '1m30s', fires: '3m', of: ['instance="a"'] },
  ],
  [
    'no API beside a worker',
    {
      [ofA('build_info', ', role="worker"')]: '1x40',
      [ofB('build_info', ', role="all"')]: '1x8 stale',
    },
    { alert: 'PosthornNoApi', quiet: '2m', fires: '4m' },
  ],
  [
    'no process at all',
    { 'up{job="another", instance="a"}': '1x40' },
    { alert: 'PosthornDown', quiet: '2m' },
    { alert: 'PosthornNoApi', fires: '2m' },
  ],
  [
    'no worker',
    { [ofA('workers')]: '1x4 0x20', [up('a')]: '1x24' },
    { alert: 'PosthornNoWorker', quiet: '1m30s', fires: '3m' },
  ],
  [
    'a delivery that is late for more than a minute, after another one',
    { [ofA('deliveries_longest_overdue_seconds')]: '0x4 50x8 90x20' },
    { alert: 'PosthornDeliveriesOverdue', quiet: '3m', fires: '6m' },
  ],
  [
    'Postgres that does not answer one process',
    { [ofA('postgres_up')]: '1x4 0x20', [ofB('postgres_up')]: '1x24' },
    { alert: 'PosthornPostgresUnreachable', quiet: '1m15s', fires: '2m', of: ['instance="a"'] },
  ],
  [
    'no process that counts, although they answer',
    { [ofA('workers')]: '1x4 stale', [up('a')]: '1x40' },
    { alert: 'PosthornStateUnknown', quiet: '1m', fires: '5m' },
  ],
  [
    'another process that counts, and holds that rise under the two in turn',
    {
      [ofA('workers')]: '2x20 stale',
      [ofB('workers')]: '_x20 1x100',
      [up('b')]: '1x120',
      [ofA('webhooks_on_hold')]: '2x20 stale',
      [ofB('webhooks_on_hold')]: '_x20 7x100',
    },
    { alert: 'PosthornHoldsRising', quiet: '4m', fires: '20m' },
    { alert: 'PosthornStateUnknown', quiet: '25m' },
    { alert: 'PosthornNoWorker', quiet: '25m' },
  ],
  [
    'many failed attempts',
    { [failed]: '0x40 0+30x60', [succeeded]: '0x40 0+10x60' },
    { alert: 'PosthornAttemptsFailing', quiet: '10m', fires: '24m' },
  ],
  [
    'few failed attempts, even if none succeeds',
    { [failed]: '0+1x100', [succeeded]: '0x100' },
    { alert: 'PosthornAttemptsFailing', quiet: '24m' },
  ],
  [
    'failed attempts that are less than half',
    { [failed]: '0+30x100', [succeeded]: '0+40x100' },
    { alert: 'PosthornAttemptsFailing', quiet: '24m' },
  ],
  [
    'requests that get a 5xx status, from 1 % on',
    { [requests('/graphql', '2xx')]: '0+98x100', [requests('/graphql', '5xx')]: '0x40 0+2x60' },
    { alert: 'PosthornRequestsFailing', quiet: '10m', fires: '20m' },
  ],
  [
    'a process that is not ready',
    {
      [requests('/graphql', '2xx')]: '0+1x100',
      [requests('/graphql', '5xx')]: '0x100',
      [requests('/readyz', '5xx')]: '0+3x100',
    },
    { alert: 'PosthornRequestsFailing', quiet: '20m' },
  ],
  [
    'a line at the level error, and not a warning',
    {
      [ofA('log_lines_total', ', level="error"')]: '0x20 1x20',
      [ofA('log_lines_total', ', level="fatal"')]: '0x40',
      [ofA('log_lines_total', ', level="warn"')]: '0+1x40',
    },
    { alert: 'PosthornFaults', quiet: '5m', fires: '6m', of: ['instance="a"'] },
  ],
  [
    'restored jobs, and not canceled deliveries',
    {
      [ofA('swept_deliveries_total', ', kind="restored"')]: '0x20 3x20',
      [ofA('swept_deliveries_total', ', kind="canceled"')]: '0+1x40',
    },
    { alert: 'PosthornJobsRestored', quiet: '5m', fires: '6m' },
  ],
  [
    'a clock that is wrong for two minutes, in either direction',
    { [ofA('clock_difference_seconds')]: '0x4 -7x20', [ofB('clock_difference_seconds')]: '4x24' },
    { alert: 'PosthornClockWrong', quiet: '2m', fires: '5m', of: ['instance="a"'] },
  ],
  [
    'statements that get no connection in time, or wait at each scrape',
    {
      [ofA('postgres_failures_total', ', cause="pool_exhausted"')]: '0x20 0+1x40',
      [ofB('pool_waiting', ', pool="general"')]: '0 3 0x19 3x40',
      [series('posthorn_pool_waiting', 'instance="c", pool="background"')]: '3x60',
    },
    {
      alert: 'PosthornPoolSaturated',
      quiet: '5m',
      fires: '12m',
      of: ['instance="a"', 'instance="b"'],
    },
  ],
  [
    'locks that make statements fail for minutes, and not single ones',
    {
      [ofA('postgres_failures_total', ', cause="contention"')]: '0x20 0+1x40',
      [ofB('postgres_failures_total', ', cause="time_limit"')]: '0x20 1x40',
      [ofB('postgres_failures_total', ', cause="unreachable"')]: '0x20 0+1x40',
    },
    { alert: 'PosthornLocks', quiet: '5m', fires: '10m', of: ['instance="a"'] },
  ],
  [
    'a runner that is replaced again and again, and not one that was replaced once',
    {
      [ofA('runner_replacements_total')]: '0x20 1x8 2x8 3x8 4x8 5x8 6x60',
      [ofB('runner_replacements_total')]: '0x20 1x100',
    },
    { alert: 'PosthornRunnersReplaced', quiet: '5m', fires: '15m', of: ['instance="a"'] },
  ],
  ...['4x200', '7x200'].map(
    (ahead): Case => [
      `partitions that are not made or not dropped for two hours, ${ahead}`,
      {
        [ofA('partitions_ahead')]: `7x60 ${ahead}`,
        [ofA('partitions_past_retention')]: ahead === '7x200' ? '0x60 4x200' : '0x260',
      },
      { alert: 'PosthornMaintenanceBehind', quiet: '2h50m', fires: '3h10m' },
    ],
  ),
  [
    'a step of the maintenance that fails for an hour, and not one that failed once',
    {
      [ofA('maintenance_failures_total', ', step="create_partitions"')]:
        '0x30 0+1x14 15+1x14 30+1x14 45+1x14 60+1x60',
      [ofA('maintenance_failures_total', ', step="sessions"')]: '0x30 1x150',
    },
    {
      alert: 'PosthornMaintenanceFails',
      quiet: '1h20m',
      fires: '2h',
      of: ['step="create_partitions"'],
    },
  ],
  [
    'a process that is busy for five minutes',
    {
      [series('nodejs_eventloop_lag_p99_seconds', 'instance="a"')]: '0.01x4 0.8x40',
      [series('nodejs_eventloop_lag_p99_seconds', 'instance="b"')]: '0.4x44',
    },
    { alert: 'PosthornEventLoopLag', quiet: '5m', fires: '8m', of: ['instance="a"'] },
  ],
  [
    'a thread that starts again',
    {
      [ofA('thread_restarts_total')]: '0x20 1x20',
      [series('process_start_time_seconds', 'instance="a"')]: '1000x40',
    },
    { alert: 'PosthornRestarting', quiet: '4m', fires: '7m', of: ['instance="a"'] },
  ],
  [
    'a process that starts a third time in half an hour',
    {
      [ofA('thread_restarts_total')]: '0x60',
      [series('process_start_time_seconds', 'instance="a"')]: '1000x10 1100x10 1200x10 1300x30',
    },
    { alert: 'PosthornRestarting', quiet: '7m', fires: '9m', of: ['instance="a"'] },
  ],
]

const firing = (alert: string) =>
  `count by (instance, step) (ALERTS{alertname="${alert}", alertstate="firing"})`

/** The file for `promtool test rules`. */
export function promtoolTests(rulesFile: string): object {
  return {
    rule_files: [rulesFile],
    evaluation_interval: '15s',
    tests: CASES.map(([name, values, ...expected]) => ({
      name,
      // Cases that last for hours have a value a minute.
      interval: expected.some(({ fires }) => fires?.includes('h')) ? '1m' : '15s',
      input_series: Object.entries(values).map(([one, given]) => ({ series: one, values: given })),
      promql_expr_test: expected.flatMap(({ alert, quiet, fires, of = [''] }) => [
        ...(quiet ? [{ expr: firing(alert), eval_time: quiet, exp_samples: [] }] : []),
        ...(fires ? [{ expr: firing(alert), eval_time: fires, exp_samples: samples(of) }] : []),
      ]),
    })),
  }
}

const samples = (of: readonly string[]) => of.map((labels) => ({ labels: `{${labels}}`, value: 1 }))
