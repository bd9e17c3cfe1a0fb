import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import {
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { leaves, pathOf } from '../../scripts/site/reference/cli.ts'
import { SCHEMA } from '../../scripts/site/reference/graphql-schema.ts'
import { describeMetrics } from '../../scripts/site/reference/metrics.ts'
import { operationsOf } from '../../scripts/site/reference/open-api.ts'
import { referencePages } from '../../scripts/site/reference/pages.ts'
import { DOCUMENT } from '../../scripts/site/reference/rest.ts'
import { publicFunctions } from '../../scripts/site/reference/sql-functions.ts'
import { SQLSTATES } from '../../scripts/site/reference/sqlstates.ts'
import { createProgram } from '../../src/cli/program.ts'
import { SETTINGS } from '../../src/config/config.ts'
import { printExample, SETTING_DESCRIPTIONS } from '../../src/config/print-example.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const pages = await referencePages()
const textOf = (name: string) => pages.get(name) ?? ''
const headingsOf = (name: string, level = '##') =>
  [...textOf(name).matchAll(new RegExp(`^${level} (.+)$`, 'gm'))].map(([, heading]) => heading)
const sourceOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

describe('settings', () => {
  const names = Object.keys(SETTINGS)

  test('each has a section with its default', () => {
    expect(headingsOf('settings').toSorted()).toEqual(names.toSorted())
    for (const [name, value] of Object.entries(SETTINGS)) {
      if (value !== '')
        expect(textOf('settings').split(`## ${name}\n`)[1]).toContain(`\`${value}\``)
    }
  })

  test('each has a description, and .env.example is made from the descriptions', () => {
    const short = Object.entries(SETTING_DESCRIPTIONS).filter(([, text]) => !isSentence(text))
    expect(short).toEqual([])
    expect(sourceOf('.env.example')).toBe(printExample())
  })
})

describe('commands', async () => {
  const commands = leaves(await createProgram())

  test('each has a section', () => {
    expect(commands).toHaveLength(25)
    expect(headingsOf('cli')).toEqual(commands.map((one) => `posthorn ${pathOf(one)}`))
  })

  test('each, with its arguments and options, has a description', () => {
    expect(commands.flatMap(undescribed)).toEqual([])
  })

  function undescribed(command: Command): string[] {
    const of = pathOf(command)
    return [
      ...(command.description() ? [] : [of]),
      ...command.registeredArguments
        .filter(({ description }) => !description)
        .map((one) => `${of} <${one.name()}>`),
      ...command.options
        .filter(({ hidden, description }) => !hidden && !description)
        .map((one) => `${of} ${one.flags}`),
    ]
  }
})

describe('GraphQL', () => {
  test('each root field and each type has a section', () => {
    for (const [name, type] of [
      ['graphql-queries', SCHEMA.getQueryType()],
      ['graphql-mutations', SCHEMA.getMutationType()],
      ['graphql-subscriptions', SCHEMA.getSubscriptionType()],
    ] as const) {
      expect(headingsOf(name)).toEqual(Object.keys(type?.getFields() ?? {}))
    }
    const listed = ['objects', 'inputs', 'enums', 'errors'].flatMap((group) =>
      headingsOf(`graphql-${group}`),
    )
    const roots = ['Query', 'Mutation', 'Subscription']
    const types = ownTypes(SCHEMA).map(({ name }) => name)
    expect(listed.toSorted()).toEqual(types.filter((name) => !roots.includes(name)).toSorted())
  })

  /** What the specification of Relay says of each connection, and the results of mutations, whose names say it. */
  const KNOWN =
    /^[A-Z]\w+(Result|Success)$|(Connection|Edge)\.(edges|node|nodes|pageInfo|cursor)$|\((first|last|after|before)\)$/

  test('each type, field, argument and value has a description, but for what names or Relay say', () => {
    expect(undescribed(SCHEMA).filter((name) => !KNOWN.test(name))).toEqual([])
  })

  const ownTypes = (schema: GraphQLSchema) =>
    Object.values(schema.getTypeMap()).filter(
      (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
    )

  function undescribed(schema: GraphQLSchema): string[] {
    return ownTypes(schema).flatMap((type) => [
      ...(type.description ? [] : [type.name]),
      ...(isEnumType(type) ? type.getValues() : [])
        .filter(({ description }) => !description)
        .map(({ name }) => `${type.name}.${name}`),
      ...(isInputObjectType(type) ? Object.values(type.getFields()) : [])
        .filter(({ description }) => !description)
        .map(({ name }) => `${type.name}.${name}`),
      ...(isObjectType(type) || isInterfaceType(type)
        ? Object.values(type.getFields())
        : []
      ).flatMap(({ name, description, args }) => [
        ...(description ? [] : [`${type.name}.${name}`]),
        ...args.filter((one) => !one.description).map((one) => `${type.name}.${name}(${one.name})`),
      ]),
    ])
  }
})

describe('REST', () => {
  const operations = operationsOf(DOCUMENT)

  test('each operation has a section with an example, and each schema one with its fields', () => {
    expect(operations.length).toBeGreaterThan(5)
    const headings = [...headingsOf('rest'), ...headingsOf('rest', '###')]
    for (const { summary, method, path: at } of operations) {
      const [, section = ''] = textOf('rest').split(`## ${summary}\n`)
      expect(section).toContain(`\`${method} ${at}\``)
      expect(section.split('\n## ')[0]).toContain('```sh\ncurl ')
    }
    for (const [name, { properties = {} }] of Object.entries(DOCUMENT.components.schemas)) {
      expect(headings).toContain(name)
      for (const field of Object.keys(properties))
        expect(textOf('rest')).toContain(`| \`${field}\``)
    }
  })

  test('each operation, parameter, answer and field has a description', () => {
    const missing = operations.flatMap(({ id, summary, description, parameters, answers }) => [
      ...(summary && description ? [] : [id]),
      ...parameters.filter((one) => !one.description).map(({ name }) => `${id} ${name}`),
      ...answers.filter((one) => !one.description).map(({ status }) => `${id} ${status}`),
    ])
    expect(missing).toEqual([])
    for (const { description } of Object.values(DOCUMENT.components.schemas)) {
      expect(description).toBeTruthy()
    }
  })
})

test('each SQLSTATE that a migration raises is described, and no other of Posthorn', () => {
  const migrations = globSync('prisma/migrations/*/migration.sql', { cwd: ROOT }).map(sourceOf)
  const raised = migrations.flatMap((text) => [...text.matchAll(/errcode = '(PH\d+)'/g)])
  const codes = new Set(raised.map(([, code]) => code))
  expect(codes.size).toBeGreaterThan(2)
  expect(Object.keys(SQLSTATES).filter((code) => code.startsWith('PH'))).toEqual(
    [...codes].toSorted(),
  )
})

test('each metric has a row and a help that is a sentence', () => {
  const { ofProcess, ofInstallation } = describeMetrics()
  const metrics = [...ofProcess, ...ofInstallation]
  expect(metrics.length).toBeGreaterThan(50)
  for (const { name, type } of metrics)
    expect(textOf('metrics')).toContain(`| \`${name}\` | ${type} |`)
  const own = metrics.filter(({ name }) => name.startsWith('posthorn_'))
  expect(own.filter(({ help }) => !isSentence(help))).toEqual([])
})

test('each event of the log in the source is described, and no other', () => {
  const files = globSync('src/**/*.ts', {
    cwd: ROOT,
    exclude: ['packages/console/**', 'src/**/generated/**'],
  })
  const found = files
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) =>
      /^src\/(queue|run|server|telemetry|http|start|deliveries|graphql|cli)\//.test(file),
    )
    .flatMap((file) => [
      ...sourceOf(file).matchAll(/(?:event: |UNAVAILABLE = )['`]([a-z]+\.[\w.${}]+)['`]/g),
    ])
    .map(([, name = '']) => name)
  const swept = ['jobs.restored', 'jobs.canceled', 'jobs.reopened']
  const names = new Set(found.flatMap((name) => (name.startsWith('jobs.$') ? swept : [name])))
  const [, logs = ''] = sourceOf('docs/operate/operating.md').split('\n## Logs\n')
  const described = [...logs.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
  expect(described.toSorted()).toEqual([...names].toSorted())
})

test('each public function of SQL has a section', () => {
  const names = new Set(publicFunctions().map(({ name }) => `posthorn.${name}`))
  expect([...names]).toEqual([
    'posthorn.publish_events',
    'posthorn.publish_event',
    'posthorn.publish_changes',
    'posthorn.stop_publishing_changes',
  ])
  expect(headingsOf('sql')).toEqual([...names, 'Errors'])
})

const isSentence = (text: string) => /^[A-Z0-9/].{15,}\.$/s.test(text)
