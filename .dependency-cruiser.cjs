/**
 * The architecture, as rules. Imports point one way:
 *
 *   entry points (app, server, services, runtime, cli)
 *     -> transports (graphql, rest, worker, and every *.graphql.ts)
 *       -> domain (deliveries -> webhooks -> events, and organizations, api-keys)
 *         -> foundation (db, live, queue, outbound, receiver, telemetry, and the files of src itself)
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
const entryPoints = '^src/(app|server|services|runtime)[.]ts$|^src/cli/'
const typeFiles = '[.]graphql[.]ts$'
const transports = '^src/(graphql|rest|worker)/'
const domain = '^src/(organizations|api-keys|events|webhooks|deliveries|jobs)/'
const foundation =
  '^src/(db|live|queue|outbound|receiver|telemetry)/|^src/(?!app|server|services|runtime)[^/]+[.]ts$'

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
      name: 'webhooks-and-events-know-no-deliveries',
      comment: 'deliveries -> webhooks -> events: what happened knows nothing of who is told.',
      severity: 'error',
      from: { path: '^src/(organizations|api-keys|events|webhooks)/', pathNot: typeFiles },
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
          '^src/(rest|worker)/',
          entryPoints,
          '^src/graphql/(schema|handler)[.]ts$',
        ],
      },
    },
    {
      name: 'transports-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/(graphql|rest|worker)/' },
      to: { path: transports, pathNot: '^src/$1/' },
    },
    {
      name: 'nothing-imports-the-entry-points',
      severity: 'error',
      from: { pathNot: entryPoints },
      to: { path: entryPoints },
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
      name: 'only-outbound-opens-sockets',
      comment:
        'Every request to an address that a customer gave goes through the guard. (biome.json denies the global fetch.) The two exceptions only listen.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/outbound/',
          '^src/cli/listen/https-receiver[.]ts$',
          '^src/db/embedded-server[.]ts$',
          '^src/config[.]ts$',
        ],
      },
      to: { path: ['(^|/)undici(/|$)', '^(node:)?(https|net|tls|http2)$'] },
    },
    {
      name: 'only-db-and-worker-speak-postgres',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(db|queue|worker)/' },
      to: { path: '(^|/)(pg|graphile-worker|@prisma/adapter-pg)(/|$)' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^src/db/generated'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
