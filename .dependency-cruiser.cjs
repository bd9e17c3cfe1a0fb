/**
 * The architecture, as rules. A folder imports only what stands below it in `LAYERS`; the folders of one layer do not
 * import each other. The type files (`*.graphql.ts`) live beside their noun, and only the schema imports them.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
const LAYERS = [
  // Small things that know nothing of the product.
  ['lib'],
  ['outbound'],
  ['config'],
  ['db'],
  ['telemetry'],
  ['auth/encryption', 'bodies/event-graph', 'queue', 'streams/live'],
  ['db/migrate', 'http'],
  // Who calls, and with which rights.
  ['auth/access'],
  ['graphql'],
  // The nouns of the product.
  ['auth/audit', 'organizations/own-names', 'organizations/retention'],
  ['organizations'],
  ['health/alerts'],
  ['auth/api-keys'],
  ['event-types'],
  ['events'],
  ['webhooks'],
  ['auth/sessions', 'health/incidents', 'scheduling'],
  ['deliveries'],
  ['bulk-tasks', 'organizations/export'],
  // Adapters: they parse, call the domain, and translate the answer.
  ['server/rest'],
  ['run/embedded', 'server'],
]
const typeFiles = '[.]graphql[.]ts$'
const folders = LAYERS.flat()

/** A folder without those of its folders that have a layer of their own. */
const within = (folder) => {
  const nested = folders.filter((other) => other.startsWith(`${folder}/`))
  const names = nested.map((other) => other.slice(folder.length + 1))
  return names.length === 0 ? `${folder}/` : `${folder}/(?!(${names.join('|')})/)`
}
const inFolders = (some) => `^src/(${some.map(within).join('|')})`

const onlyDownwards = LAYERS.flatMap((layer, i) =>
  layer.map((folder) => ({
    name: `${folder}-imports-only-what-stands-below`,
    comment: `The layers: ${LAYERS.map((each) => each.join(', ')).join(' < ')} < run < cli.`,
    severity: 'error',
    from: { path: inFolders([folder]) },
    to: {
      path: ['^src/(run/(?!embedded/)|cli/)', inFolders(LAYERS.slice(i).flat())],
      pathNot: inFolders([folder]),
    },
  })),
)

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Files that need each other can neither be read nor tested alone.',
      severity: 'error',
      from: {},
      to: { circular: true, dependencyTypesNot: ['type-only'] },
    },
    ...onlyDownwards,
    {
      name: 'no-loose-files',
      comment: 'A file belongs to the folder of its subject.',
      severity: 'error',
      from: { path: '^src/[^/]+$' },
      to: {},
    },
    {
      name: 'only-the-schema-imports-type-files',
      comment: 'A relation is named in a string, so no type file needs another.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/schema[.]ts$' },
      to: { path: typeFiles },
    },
    {
      name: 'a-worker-loads-no-api',
      comment: 'A process that only delivers does without GraphQL and REST, which take 35 MB.',
      severity: 'error',
      from: {
        path: ['^src/(queue|deliveries|scheduling)/', '^src/run/(start-delivering|tasks)[.]ts$'],
        pathNot: typeFiles,
      },
      to: { path: ['^src/(graphql|server)/'] },
    },
    {
      name: 'the-api-is-loaded-by-role',
      comment: 'So it is imported where the role of the process is known.',
      severity: 'error',
      from: { path: '^src/(?!server/)' },
      to: { path: '^src/server/api-routes[.]ts$', dynamic: false },
    },
    {
      name: 'receiver-stands-alone',
      comment:
        'It is published to users, who run it anywhere. Signing, for the sender, may use node:crypto.',
      severity: 'error',
      from: { path: '^packages/receiver/src/' },
      to: { pathNot: ['^packages/receiver/src/', '^(node:)?crypto$'] },
    },
    {
      name: 'console-stands-alone',
      comment: 'It runs in browsers, as a client of the public API like any other.',
      severity: 'error',
      from: { path: '^packages/console/' },
      to: { path: '^(src|packages)/', pathNot: '^packages/console/' },
    },
    {
      name: 'the-client-package-stands-alone',
      comment: 'It is published to programs that publish events, and has no dependency.',
      severity: 'error',
      from: { path: '^packages/client/' },
      to: { pathNot: '^packages/client/' },
    },
    {
      name: 'nothing-imports-the-console',
      comment: 'The server serves its built files, and needs nothing of its sources.',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: '^packages/console/' },
      to: { path: '^packages/console/' },
    },
    {
      name: 'only-outbound-opens-sockets',
      comment:
        'Every request to an address that a customer gave goes through the guard. (biome.json denies the global fetch, WebSocket and EventSource.) The exceptions take types, tables or what listens, and src/db/pools.ts the sockets that `pg` connects to Postgres with its option `stream`; test/outbound/only-outbound-connects.test.ts holds them to that.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/outbound/',
          '^src/cli/listen/(format-delivery|send-local)[.]ts$',
          '^src/http/(connection|https-receiver|read-body)[.]ts$',
          '^src/run/embedded/local-authority[.]ts$',
          '^src/server/(http-server|rest/publish-v1)[.]ts$',
          '^src/telemetry/request-log[.]ts$',
          '^src/db/(pools|embedded/server)[.]ts$',
        ],
      },
      to: {
        path: '^(node:)?(net|tls|http|https|http2|dgram|dns|dns/promises|inspector|inspector/promises|quic|_http_client|_tls_wrap)$',
      },
    },
    {
      name: 'only-session-cookie-writes-cookies',
      comment: 'So the name of every cookie has the prefix __Host- over https.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/http/session-cookie[.]ts$' },
      to: { path: '(^|/)hono/.*cookie' },
    },
    {
      name: 'only-outbound-uses-undici',
      comment: 'It connects to anything. In src/outbound its connections go through the guard.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/outbound/' },
      to: { path: '(^|/)undici(/|$)' },
    },
    {
      name: 'packages-are-known-to-open-no-sockets',
      comment:
        'A package of another name could connect to anything. Before it is added here, read what it opens; one that makes requests belongs in src/outbound. (undici connects: the rule above keeps it there. The exporter of OpenTelemetry connects to the collector that the operator names, and openid-client to the provider: the rules below keep each in its file. hono/node-server listens; the rules below are for Postgres.)',
      severity: 'error',
      from: { path: '^(src|packages/mcp)/' },
      to: {
        dependencyTypes: [
          'npm',
          'npm-dev',
          'npm-optional',
          'npm-peer',
          'npm-bundled',
          'npm-no-pkg',
          'npm-unknown',
          'unknown',
        ],
        pathNot: [
          '(^|/)(pg|graphile-worker|@prisma/(adapter-pg|client))(/|$)',
          '(^|/)(graphql|graphql-yoga|@graphql-(tools/utils|yoga/render-graphiql)|@pothos/[a-z-]+)(/|$)',
          '(^|/)(hono|@hono/node-server|zod|commander|ajv|ajv-formats|leven|lossless-json|re2js)(/|$)',
          '(^|/)(pino|prom-client|undici|uuid|birpc|liquidjs|@peculiar/x509|@opentelemetry/api)(/|$)',
          '(^|/)@opentelemetry/(sdk-trace|resources|exporter-trace-otlp-proto)(/|$)',
          '(^|/)(openid-client|nodemailer)(/|$)',
          '(^|/)@modelcontextprotocol/server(/|$)',
        ],
      },
    },
    {
      name: 'openid-client-is-loaded-on-demand',
      comment:
        'It connects to the provider that the operator names, so it is imported only where POSTHORN_OIDC_* asks for it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/auth/sessions/oidc/provider[.]ts$' },
      to: { path: '(^|/)openid-client(/|$)' },
    },
    {
      name: 'the-tools-for-agents-are-imported-dynamically',
      comment: 'So a process that serves no agent does not load them, nor the SDK of the protocol.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: '^packages/mcp/',
        dynamic: false,
      },
    },
    {
      name: 'nodemailer-is-loaded-on-demand',
      comment:
        'It connects to the mail server that the operator names, so it is imported only where POSTHORN_SMTP_URL asks for it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/outbound/mailer[.]ts$' },
      to: { path: '(^|/)nodemailer(/|$)' },
    },
    {
      name: 'the-mailer-is-imported-dynamically',
      comment: 'So a process without a mail server does not load it.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/outbound/mailer[.]ts$', dynamic: false },
    },
    {
      name: 'the-provider-is-imported-dynamically',
      comment: 'So a process without OpenID Connect does not load it.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: '^src/auth/sessions/oidc/provider[.]ts$',
        dynamic: false,
      },
    },
    {
      name: 'the-opentelemetry-sdk-is-loaded-on-demand',
      comment:
        'It connects to a collector, and takes memory and time, so it is imported only where OTEL_* asks for it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/telemetry/tracing-sdk[.]ts$' },
      to: { path: '(^|/)@opentelemetry/(?!api(/|$))' },
    },
    {
      name: 'tracing-sdk-is-imported-dynamically',
      comment: 'So a process without tracing does not load it.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/telemetry/tracing-sdk[.]ts$', dynamic: false },
    },
    {
      name: 'only-db-starts-programs',
      comment:
        'The embedded Postgres, and what tells systemd the state. A program such as curl would go around the guard.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/db/', '^src/cli/start[.]ts$'] },
      to: {
        path: '^(node:)?(child_process|cluster)$',
      },
    },
    {
      name: 'only-run-starts-threads',
      comment: 'A thread runs a role of the process; src/run supervises it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/run/' },
      to: { path: '^(node:)?worker_threads$' },
    },
    {
      name: 'only-db-and-queue-use-pg',
      comment:
        'Elsewhere a function takes a `Db` or a `Sql`, so that it runs in any transaction of its caller.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(db|queue)/' },
      to: { path: '(^|/)(pg|@prisma/adapter-pg)(/|$)' },
    },
    {
      name: 'only-queue-uses-graphile-worker',
      comment: 'An upgrade of it then concerns one folder.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/queue/' },
      to: { path: '(^|/)graphile-worker(/|$)' },
    },
  ],
  options: {
    doNotFollow: {
      path: ['node_modules', '^src/db/generated'],
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
