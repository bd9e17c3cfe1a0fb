/**
 * The architecture, as rules. Imports point one way:
 *
 *   entry points (app, api, server, services, runtime, cli)
 *     -> transports (graphql, rest, web, worker, and every *.graphql.ts)
 *       -> domain (deliveries -> flow -> webhooks -> events, and sessions -> api-keys, organizations; audit below all)
 *         -> foundation (db, http, live, queue, outbound, rate-limit, receiver, telemetry, and the files of src itself)
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
const entryPoints = '^src/(app|api|server|services|runtime)[.]ts$|^src/cli/'
const typeFiles = '[.]graphql[.]ts$'
const transports = '^src/(graphql|rest|web|worker)/'
const domain = '^src/(audit|organizations|api-keys|sessions|events|webhooks|flow|deliveries|jobs)/'
const foundation =
  '^src/(db|http|live|queue|outbound|rate-limit|receiver|telemetry)/|^src/(?!app|api[.]|server|services|runtime)[^/]+[.]ts$'

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'foundation-knows-no-domain',
      severity: 'error',
      from: { path: foundation },
      to: { path: [domain, transports, entryPoints] },
    },
    {
      name: 'domain-knows-no-transport',
      comment: 'Rules must run the same under GraphQL, REST, the worker and the command line.',
      severity: 'error',
      from: { path: domain, pathNot: typeFiles },
      to: { path: [typeFiles, transports, entryPoints] },
    },
    {
      name: 'audit-knows-no-other-domain',
      comment: 'Every domain writes into the log; it does not know what they do.',
      severity: 'error',
      from: { path: '^src/audit/', pathNot: typeFiles },
      to: {
        path: '^src/(organizations|api-keys|sessions|events|webhooks|flow|deliveries|jobs)/',
      },
    },
    {
      name: 'webhooks-and-events-know-no-deliveries',
      comment:
        'deliveries -> flow -> webhooks -> events: what happened knows nothing of who is told.',
      severity: 'error',
      from: {
        path: '^src/(organizations|api-keys|sessions|events|webhooks|flow)/',
        pathNot: typeFiles,
      },
      to: { path: '^src/deliveries/' },
    },
    {
      name: 'events-know-no-webhooks',
      severity: 'error',
      from: { path: '^src/(organizations|api-keys|events)/', pathNot: typeFiles },
      to: { path: '^src/webhooks/' },
    },
    {
      name: 'type-files-use-their-domain-and-the-builder',
      comment: 'A relation is named in a string, so no type file needs another.',
      severity: 'error',
      from: { path: typeFiles },
      to: {
        path: [
          typeFiles,
          '^src/(rest|web|worker)/',
          entryPoints,
          '^src/graphql/(schema|handler)[.]ts$',
        ],
      },
    },
    {
      name: 'transports-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/(graphql|rest|web|worker)/' },
      to: { path: transports, pathNot: '^src/$1/' },
    },
    {
      name: 'nothing-imports-the-entry-points',
      severity: 'error',
      from: { pathNot: entryPoints },
      to: { path: entryPoints },
    },
    {
      name: 'a-worker-loads-no-api',
      comment: 'It takes 35 MB, so it is imported where the role of the process is known.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/api[.]ts$', dynamic: false },
    },
    {
      name: 'only-the-api-has-routes',
      comment: 'Whatever else imported one would make a worker load it.',
      severity: 'error',
      from: { path: '^src/(app|server|services|runtime)[.]ts$' },
      to: { path: '^src/(graphql|rest|web)/' },
    },
    {
      name: 'receiver-stands-alone',
      comment:
        'It is published to users, who run it anywhere. Signing, for the sender, may use node:crypto.',
      severity: 'error',
      from: { path: '^src/receiver/' },
      to: { pathNot: ['^src/receiver/', '^(node:)?crypto$'] },
    },
    {
      name: 'console-stands-alone',
      comment: 'It runs in browsers, as a client of the public API like any other.',
      severity: 'error',
      from: { path: '^src/console/' },
      to: { path: '^src/', pathNot: '^src/console/' },
    },
    {
      name: 'nothing-imports-the-console',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/console/' },
      to: { path: '^src/console/' },
    },
    {
      name: 'only-outbound-opens-sockets',
      comment:
        'Every request to an address that a customer gave goes through the guard. (biome.json denies the global fetch, WebSocket and EventSource.) The exceptions take types, tables or what listens, which test/outbound/only-door.test.ts holds them to.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/outbound/',
          '^src/cli/listen/(https-receiver|format-delivery|received-delivery|local-certificates)[.]ts$',
          '^src/server[.]ts$',
          '^src/db/embedded-server[.]ts$',
        ],
      },
      to: {
        path: [
          '(^|/)undici(/|$)',
          '^(node:)?(net|tls|http|https|http2|dgram|dns|dns/promises|inspector|inspector/promises|quic|_http_client|_tls_wrap)$',
        ],
      },
    },
    {
      name: 'packages-are-known-to-open-no-sockets',
      comment:
        'A package of another name could connect to anything. Before it is added here, read what it opens; one that makes requests belongs in src/outbound. (undici connects: the rule above keeps it there. hono/node-server listens; the rule below is for Postgres.)',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/console/' },
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
          '(^|/)(graphql|graphql-yoga|@graphql-yoga/plugin-persisted-operations|@pothos/[a-z-]+)(/|$)',
          '(^|/)(hono|@hono/(zod-openapi|node-server)|zod|commander|ajv|ajv-formats|leven)(/|$)',
          '(^|/)(pino|prom-client|undici|uuid|@peculiar/x509)(/|$)',
        ],
      },
    },
    {
      name: 'only-db-starts-programs',
      comment: 'The embedded Postgres. A program such as curl would go around the guard.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/db/' },
      to: {
        path: '^(node:)?(child_process|cluster|worker_threads)$',
      },
    },
    {
      name: 'only-db-and-worker-speak-postgres',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(db|queue|worker)/' },
      to: { path: '(^|/)(pg|graphile-worker|@prisma/adapter-pg)(/|$)' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^src/(db|console)/generated'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
