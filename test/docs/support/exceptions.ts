const SCRIPTS = 'These are scripts of package.json.'

/** Operations on the graph of a catalogue, which the page does not have. */
const EVENT_GRAPH = 'test/event-graph/types.test.ts'

/**
 * The blocks of code that have a test of their own, and those that none runs, by page and language: the file of the test,
 * which runs them or what they say, or the reason. The guides that `test/docs/guides` follows are not listed.
 */
export const OWN_TESTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': { sh: 'test/docs/first-pages.test.ts' },
  'CONTRIBUTING.md': {
    sh: SCRIPTS,
    ts: 'An excerpt of a program.',
    mermaid: 'A picture.',
  },
  'docs/start/get-started.md': { sh: 'test/docs/first-pages.test.ts' },
  'docs/start/event-types.md': { sh: 'test/docs/first-pages.test.ts' },
  'docs/start/publish.md': {
    sh: 'test/docs/first-pages.test.ts',
    ts: 'test/docs/first-pages.test.ts',
  },
  'docs/start/receive.md': { ts: 'test/docs/first-pages.test.ts' },
  'docs/start/own-postgres.md': { sh: 'test/docs/first-pages.test.ts' },
  'docs/guides/publish-in-sql.md': {
    sh: 'test/docs/first-pages.test.ts',
    sql: 'test/docs/first-pages.test.ts',
    ts: 'test/docs/first-pages.test.ts',
    python: 'test/docs/first-pages.test.ts',
  },
  'docs/guides/mcp.md': { sh: 'test/mcp/page.test.ts', ts: 'test/mcp/page.test.ts' },
  'docs/guides/changed-fields.md': { sql: 'test/events/published-tables/page.test.ts' },
  'docs/guides/console.md': { sh: SCRIPTS },
  'docs/guides/embedding.md': {
    sh: 'test/release/posthorn-package.test.ts',
    ts: 'test/release/posthorn-package.test.ts',
  },
  'docs/guides/event-graph.md': { graphql: EVENT_GRAPH },
  'docs/guides/event-stream.md': {
    graphql: EVENT_GRAPH,
    sh: 'test/docs/commands.test.ts',
  },
  'docs/guides/forwarding.md': { sh: 'test/forwarding/command.test.ts' },
  'docs/guides/frontends.md': { ts: 'test/graphql/frontends-page.test.ts' },
  'docs/guides/moving-in.md': { sh: 'test/moving-in/from-svix.test.ts' },
  'docs/guides/own-names.md': { hcl: 'test/own-names/terraform.test.ts' },
  'docs/guides/portal.md': { html: 'test/console/portal-element.test.ts' },
  'docs/guides/recovery.md': { sh: 'test/docs/commands.test.ts' },
  'docs/guides/templates.md': { json: 'test/templates/docs.test.ts' },
  'docs/guides/typed-events.md': { sh: 'test/docs/commands.test.ts' },
  'docs/operate/backups.md': {
    sh: 'test/deploy/backup-commands.test.ts',
    sql: 'test/deploy/backup-commands.test.ts',
  },
  'docs/operate/deploying.md': {
    sh: 'test/deploy/service-commands.test.ts',
    ini: 'test/deploy/service-commands.test.ts',
    yaml: 'test/deploy/helm.test.ts',
  },
  'docs/operate/job-dashboards.md': { sql: 'test/docs/facts.test.ts' },
  'docs/operate/metrics.md': {
    sh: 'test/deploy/watching-commands.test.ts',
    yaml: 'test/deploy/watching-commands.test.ts',
  },
  'docs/operate/moving.md': { sh: 'test/deploy/moving-commands.test.ts' },
  'docs/operate/operating.md': {
    sh: 'test/deploy/operating-commands.test.ts',
    sql: 'test/docs/facts.test.ts',
    nginx: 'test/server/proxies.test.ts',
    caddyfile: 'test/server/proxies.test.ts',
  },
  'docs/operate/runbook.md': {
    sh: 'test/deploy/watching-commands.test.ts',
    sql: 'test/docs/facts.test.ts',
  },
  'docs/operate/sizing.md': { sh: SCRIPTS },
  'docs/operate/tracing.md': { sh: 'test/deploy/watching-commands.test.ts' },
  'docs/operate/upgrading.md': { sh: 'test/migrate/upgrade.test.ts' },
  'docs/reference/dependencies.md': {
    ts: 'Reports for graphile-worker. The canaries of test/queue test what they show.',
  },
  'docs/reference/performance.md': { sh: SCRIPTS },
}
