/**
 * The architecture, as rules. Imports point one way:
 *
 *   entry points (app, api, server, services, runtime, cli)
 *     -> transports (graphql, rest, web, queue/tasks.ts, and every *.graphql.ts)
 *       -> domain (deliveries -> scheduling -> webhooks -> events; jobs, sessions, api-keys, organizations; audit below)
 *         -> foundation (db, http, live, queue, outbound, rate-limit, receiver, telemetry, lib, and the files of src)
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
const entryPoints = '^src/(app|api|server|services|runtime)[.]ts$|^src/cli/'
const typeFiles = '[.]graphql[.]ts$'
const tasks = '^src/queue/tasks[.]ts$'
const transports = `^src/(graphql|rest|web)/|${tasks}`
const domain =
  '^src/(audit|organizations|api-keys|sessions|events|webhooks|scheduling|deliveries|jobs)/'
const foundation =
  '^src/(db|http|live|queue|outbound|rate-limit|receiver|telemetry|lib)/|^src/(?!app|api[.]|server|services|runtime)[^/]+[.]ts$'

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Files that need each other can neither be read nor tested alone.',
      severity: 'error',
      from: {},
      to: { circular: true, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'foundation-knows-no-domain',
      comment: 'It serves every domain alike, so that a domain can change without it.',
      severity: 'error',
      from: { path: foundation, pathNot: tasks },
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
      to: { path: domain, pathNot: '^src/audit/' },
    },
    {
      name: 'nothing-below-deliveries-knows-them',
      comment:
        'deliveries -> scheduling -> webhooks -> events: when a delivery goes out is decided by its webhook, not by what is sent.',
      severity: 'error',
      from: {
        path: '^src/(organizations|api-keys|sessions|events|webhooks|scheduling)/',
        pathNot: typeFiles,
      },
      to: { path: '^src/(deliveries|jobs)/' },
    },
    {
      name: 'webhooks-know-no-scheduling',
      comment: 'A webhook says what its limits are; what waits for them is no part of it.',
      severity: 'error',
      from: { path: '^src/(organizations|api-keys|sessions|events|webhooks)/', pathNot: typeFiles },
      to: { path: '^src/scheduling/' },
    },
    {
      name: 'events-know-no-webhooks',
      comment: 'What happened knows nothing of the webhooks that receive it.',
      severity: 'error',
      from: { path: '^src/(organizations|api-keys|events)/', pathNot: typeFiles },
      to: { path: '^src/webhooks/' },
    },
    {
      name: 'deliveries-know-no-jobs',
      comment: 'src/jobs is what operators see and do; deliveries go out without it.',
      severity: 'error',
      from: { path: '^src/deliveries/', pathNot: typeFiles },
      to: { path: '^src/jobs/' },
    },
    {
      name: 'type-files-use-their-domain-and-the-builder',
      comment: 'A relation is named in a string, so no type file needs another.',
      severity: 'error',
      from: { path: typeFiles },
      to: {
        path: [
          typeFiles,
          '^src/(rest|web)/',
          tasks,
          entryPoints,
          '^src/graphql/(schema|handler)[.]ts$',
        ],
      },
    },
    {
      name: 'transports-do-not-know-each-other',
      comment: 'What two of them need is a rule of the domain, or belongs in src/http.',
      severity: 'error',
      from: { path: '^src/(graphql|rest|web)/' },
      to: { path: transports, pathNot: '^src/$1/' },
    },
    {
      name: 'tasks-know-no-other-transport',
      comment: 'A task calls the domain, like a resolver: a worker loads no API for it.',
      severity: 'error',
      from: { path: tasks },
      to: { path: ['^src/(graphql|rest|web)/', typeFiles] },
    },
    {
      name: 'nothing-imports-the-entry-points',
      comment: 'They put the parts together, so each part can be put together otherwise by a test.',
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
      comment: 'Anything else that imported one would make a worker load it.',
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
      comment: 'The server serves its built files, and needs nothing of its sources.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/console/' },
      to: { path: '^src/console/' },
    },
    {
      name: 'only-outbound-opens-sockets',
      comment:
        'Every request to an address that a customer gave goes through the guard. (biome.json denies the global fetch, WebSocket and EventSource.) The exceptions take types, tables or what listens, and src/db/owned-sockets.ts the sockets that `pg` connects to Postgres with its option `stream`; test/outbound/only-door.test.ts holds them to that.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/outbound/',
          '^src/cli/listen/(https-receiver|format-delivery|received-delivery|local-certificates)[.]ts$',
          '^src/server[.]ts$',
          '^src/db/(connections|owned-sockets|embedded-server)[.]ts$',
        ],
      },
      to: {
        path: '^(node:)?(net|tls|http|https|http2|dgram|dns|dns/promises|inspector|inspector/promises|quic|_http_client|_tls_wrap)$',
      },
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
        'A package of another name could connect to anything. Before it is added here, read what it opens; one that makes requests belongs in src/outbound. (undici connects: the rule above keeps it there. hono/node-server listens; the rules below are for Postgres.)',
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
    doNotFollow: { path: ['node_modules', '^src/(db|console)/generated'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
