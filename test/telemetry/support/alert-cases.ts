type Series = Readonly<Record<string, string>>

/** Values of series, at which times alerts are quiet, and at which time one fires, with the labels that tell its place. */
type Case = readonly [
  name: string,
  series: Series,
  quiet: Readonly<Record<string, readonly string[]>>,
  fires?: { readonly at: string; readonly alert: string; readonly of: readonly string[] },
  interval?: string,
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
    { '1m30s': ['PosthornDown'] },
    { at: '3m', alert: 'PosthornDown', of: ['instance="a"'] },
  ],
  [
    'no API beside a worker',
    {
      [ofA('build_info', ', role="worker"')]: '1x40',
      [ofB('build_info', ', role="all"')]: '1x8 stale',
    },
    { '2m': ['PosthornNoApi'] },
    { at: '4m', alert: 'PosthornNoApi', of: [''] },
  ],
  [
    'no process at all',
    { 'up{job="another", instance="a"}': '1x40' },
    { '2m': ['PosthornDown'] },
    { at: '2m', alert: 'PosthornNoApi', of: [''] },
  ],
  [
    'no worker',
    { [ofA('workers')]: '1x4 0x20', [up('a')]: '1x24' },
    { '1m30s': ['PosthornNoWorker'] },
    { at: '3m', alert: 'PosthornNoWorker', of: [''] },
  ],
  [
    'a delivery that is late for more than a minute, after another one',
    { [ofA('deliveries_longest_overdue_seconds')]: '0x4 50x8 90x20' },
    { '3m': ['PosthornDeliveriesOverdue'] },
    { at: '6m', alert: 'PosthornDeliveriesOverdue', of: [''] },
  ],
  [
    'Postgres that does not answer one process',
    { [ofA('postgres_up')]: '1x4 0x20', [ofB('postgres_up')]: '1x24' },
    { '1m15s': ['PosthornPostgresUnreachable'] },
    { at: '2m', alert: 'PosthornPostgresUnreachable', of: ['instance="a"'] },
  ],
  [
    'no process that counts, although they answer',
    { [ofA('workers')]: '1x4 stale', [up('a')]: '1x40' },
    { '1m': ['PosthornStateUnknown'] },
    { at: '5m', alert: 'PosthornStateUnknown', of: [''] },
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
    { '4m': ['PosthornHoldsRising'], '25m': ['PosthornStateUnknown', 'PosthornNoWorker'] },
    { at: '20m', alert: 'PosthornHoldsRising', of: [''] },
  ],
  [
    'many failed attempts',
    { [failed]: '0x40 0+30x60', [succeeded]: '0x40 0+10x60' },
    { '10m': ['PosthornAttemptsFailing'] },
    { at: '24m', alert: 'PosthornAttemptsFailing', of: [''] },
  ],
  [
    'few failed attempts, even if none succeeds',
    { [failed]: '0+1x100', [succeeded]: '0x100' },
    { '24m': ['PosthornAttemptsFailing'] },
  ],
  [
    'failed attempts that are less than half',
    { [failed]: '0+30x100', [succeeded]: '0+40x100' },
    { '24m': ['PosthornAttemptsFailing'] },
  ],
  [
    'requests that get a 5xx status, from 1 % on',
    { [requests('/graphql', '2xx')]: '0+98x100', [requests('/graphql', '5xx')]: '0x40 0+2x60' },
    { '10m': ['PosthornRequestsFailing'] },
    { at: '20m', alert: 'PosthornRequestsFailing', of: [''] },
  ],
  [
    'a process that is not ready',
    {
      [requests('/graphql', '2xx')]: '0+1x100',
      [requests('/graphql', '5xx')]: '0x100',
      [requests('/readyz', '5xx')]: '0+3x100',
    },
    { '20m': ['PosthornRequestsFailing'] },
  ],
  [
    'a line at the level error, and not a warning',
    {
      [ofA('log_lines_total', ', level="error"')]: '0x20 1x20',
      [ofA('log_lines_total', ', level="fatal"')]: '0x40',
      [ofA('log_lines_total', ', level="warn"')]: '0+1x40',
    },
    { '5m': ['PosthornFaults'] },
    { at: '6m', alert: 'PosthornFaults', of: ['instance="a"'] },
  ],
  [
    'restored jobs, and not canceled deliveries',
    {
      [ofA('swept_deliveries_total', ', kind="restored"')]: '0x20 3x20',
      [ofA('swept_deliveries_total', ', kind="canceled"')]: '0+1x40',
    },
    { '5m': ['PosthornJobsRestored'] },
    { at: '6m', alert: 'PosthornJobsRestored', of: [''] },
  ],
  [
    'a clock that is wrong for two minutes, in either direction',
    { [ofA('clock_difference_seconds')]: '0x4 -7x20', [ofB('clock_difference_seconds')]: '4x24' },
    { '2m': ['PosthornClockWrong'] },
    { at: '5m', alert: 'PosthornClockWrong', of: ['instance="a"'] },
  ],
  [
    'statements that get no connection in time, or wait at each scrape',
    {
      [ofA('postgres_failures_total', ', cause="pool_exhausted"')]: '0x20 0+1x40',
      [ofB('pool_waiting', ', pool="general"')]: '0 3 0x19 3x40',
      [series('posthorn_pool_waiting', 'instance="c", pool="background"')]: '3x60',
    },
    { '5m': ['PosthornPoolSaturated'] },
    { at: '12m', alert: 'PosthornPoolSaturated', of: ['instance="a"', 'instance="b"'] },
  ],
  [
    'locks that make statements fail for minutes, and not single ones',
    {
      [ofA('postgres_failures_total', ', cause="contention"')]: '0x20 0+1x40',
      [ofB('postgres_failures_total', ', cause="time_limit"')]: '0x20 1x40',
      [ofB('postgres_failures_total', ', cause="unreachable"')]: '0x20 0+1x40',
    },
    { '5m': ['PosthornLocks'] },
    { at: '10m', alert: 'PosthornLocks', of: ['instance="a"'] },
  ],
  [
    'a runner that is replaced again and again, and not one that was replaced once',
    {
      [ofA('runner_replacements_total')]: '0x20 1x8 2x8 3x8 4x8 5x8 6x60',
      [ofB('runner_replacements_total')]: '0x20 1x100',
    },
    { '5m': ['PosthornRunnersReplaced'] },
    { at: '15m', alert: 'PosthornRunnersReplaced', of: ['instance="a"'] },
  ],
  ...['4x200', '7x200'].map(
    (ahead): Case => [
      `partitions that are not made or not dropped for two hours, ${ahead}`,
      {
        [ofA('partitions_ahead')]: `7x60 ${ahead}`,
        [ofA('partitions_past_retention')]: ahead === '7x200' ? '0x60 4x200' : '0x260',
      },
      { '2h50m': ['PosthornMaintenanceBehind'] },
      { at: '3h10m', alert: 'PosthornMaintenanceBehind', of: [''] },
      '1m',
    ],
  ),
  [
    'a step of the maintenance that fails for an hour, and not one that failed once',
    {
      [ofA('maintenance_failures_total', ', step="create_partitions"')]:
        '0x30 0+1x14 15+1x14 30+1x14 45+1x14 60+1x60',
      [ofA('maintenance_failures_total', ', step="sessions"')]: '0x30 1x150',
    },
    { '1h20m': ['PosthornMaintenanceFails'] },
    { at: '2h', alert: 'PosthornMaintenanceFails', of: ['step="create_partitions"'] },
    '1m',
  ],
  [
    'a process that is busy for five minutes',
    {
      [series('nodejs_eventloop_lag_p99_seconds', 'instance="a"')]: '0.01x4 0.8x40',
      [series('nodejs_eventloop_lag_p99_seconds', 'instance="b"')]: '0.4x44',
    },
    { '5m': ['PosthornEventLoopLag'] },
    { at: '8m', alert: 'PosthornEventLoopLag', of: ['instance="a"'] },
  ],
  [
    'a thread that starts again',
    {
      [ofA('thread_restarts_total')]: '0x20 1x20',
      [series('process_start_time_seconds', 'instance="a"')]: '1000x40',
    },
    { '4m': ['PosthornRestarting'] },
    { at: '7m', alert: 'PosthornRestarting', of: ['instance="a"'] },
  ],
  [
    'a process that starts a third time in half an hour',
    {
      [ofA('thread_restarts_total')]: '0x60',
      [series('process_start_time_seconds', 'instance="a"')]: '1000x10 1100x10 1200x10 1300x30',
    },
    { '7m': ['PosthornRestarting'] },
    { at: '9m', alert: 'PosthornRestarting', of: ['instance="a"'] },
  ],
]

const firing = (alert: string) =>
  `count by (instance, step) (ALERTS{alertname="${alert}", alertstate="firing"})`

/** The file for `promtool test rules`. */
export function promtoolTests(rulesFile: string): object {
  return {
    rule_files: [rulesFile],
    evaluation_interval: '15s',
    tests: CASES.map(([name, values, quiet, fires, interval = '15s']) => ({
      ...{ name, interval },
      input_series: Object.entries(values).map(([one, given]) => ({ series: one, values: given })),
      promql_expr_test: [
        ...Object.entries(quiet).flatMap(([at, alerts]) =>
          alerts.map((alert) => ({ expr: firing(alert), eval_time: at, exp_samples: [] })),
        ),
        ...(fires ? [fires] : []).map(({ at, alert, of }) => ({
          ...{ expr: firing(alert), eval_time: at },
          exp_samples: of.map((labels) => ({ labels: `{${labels}}`, value: 1 })),
        })),
      ],
    })),
  }
}
