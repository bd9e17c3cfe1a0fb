/** Operations on the graph of a catalogue, which the page does not have. */
const EVENT_GRAPH = 'test/bodies/event-graph/types.test.ts'

/**
 * The blocks of code that have a test of their own, and those that none runs, by page and language: the file of the test,
 * which runs them or what they say, or the reason. The guides that `test/docs/guides` follows are not listed.
 */
export const OWN_TESTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'CONTRIBUTING.md': { mermaid: 'A picture.' },
  'docs/start/publish.md': { ts: 'test/docs/first-pages.test.ts' },
  'docs/start/receive.md': { ts: 'test/docs/first-pages.test.ts' },
  'docs/guides/publish-in-sql.md': {
    sql: 'test/docs/first-pages.test.ts',
    ts: 'test/docs/first-pages.test.ts',
    python: 'test/docs/first-pages.test.ts',
  },
  'docs/guides/mcp.md': { ts: 'test/mcp/page.test.ts' },
  'docs/guides/changed-fields.md': { sql: 'test/events/published-tables/page.test.ts' },
  'docs/guides/embedding.md': { ts: 'test/release/posthorn-package.test.ts' },
  'docs/guides/event-graph.md': { graphql: EVENT_GRAPH },
  'docs/guides/event-stream.md': { graphql: EVENT_GRAPH },
  'docs/guides/frontends.md': { ts: 'test/graphql/frontends-page.slow.test.ts' },
  'docs/guides/own-names.md': { hcl: 'test/organizations/own-names/terraform.test.ts' },
  'docs/guides/portal.md': { html: 'test/console/portal-element.slow.test.ts' },
  'docs/guides/templates.md': { json: 'test/bodies/templates/docs.test.ts' },
  'docs/operate/backups.md': { sql: 'test/deploy/backup-commands.test.ts' },
  'docs/operate/deploying.md': { ini: 'A drop-in for systemd.', yaml: 'test/deploy/helm.test.ts' },
  'docs/operate/job-dashboards.md': { sql: 'test/security/other-roles.test.ts' },
  'docs/operate/metrics.md': { yaml: 'Configurations of Prometheus.' },
  'docs/operate/operating.md': {
    sql: 'test/security/other-roles.test.ts',
    nginx: 'test/server/proxies.test.ts',
    caddyfile: 'test/server/proxies.test.ts',
  },
  'docs/operate/runbook.md': { sql: 'test/security/other-roles.test.ts' },
  'docs/reference/dependencies.md': {
    ts: 'Reports for graphile-worker. The canaries of test/queue test what they show.',
  },
}
