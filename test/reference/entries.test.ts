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
import { SCHEMA } from '../../scripts/site/reference/graphql.ts'
import { describeMetrics } from '../../scripts/site/reference/metrics.ts'
import { referencePages } from '../../scripts/site/reference/pages.ts'
import { SQLSTATES } from '../../scripts/site/reference/sqlstates.ts'
import { createProgram } from '../../src/cli/program.ts'
import { SETTINGS } from '../../src/config/config.ts'
import { printExample, SETTING_DESCRIPTIONS } from '../../src/config/print-example.ts'
import { openApiDocument } from '../../src/server/rest/connect-v1/openapi.ts'

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
      const [section] = textOf('settings').split(`## ${name}\n`)[1]?.split('\n## ') ?? []
      if (value !== '') expect(section).toContain(`Default: \`${value}\`.`)
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
    const roots = [SCHEMA.getQueryType(), SCHEMA.getMutationType(), SCHEMA.getSubscriptionType()]
    const fields = roots.flatMap((type) => Object.keys(type?.getFields() ?? {}))
    expect(headingsOf('graphql', '###')).toEqual(fields)
    const types = ownTypes(SCHEMA).filter((type) => !roots.some((root) => root === type))
    expect(headingsOf('graphql-types')).toEqual(types.map(({ name }) => name).toSorted())
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

interface Described {
  readonly summary?: string
  readonly description?: string
}

type Descriptions = Readonly<Record<string, Described>>

interface DescribedApi {
  readonly paths: Readonly<Record<string, Descriptions>>
  readonly components: Readonly<Record<'parameters' | 'responses' | 'schemas', Descriptions>>
}

test('each operation, parameter, answer and schema of REST has a description', () => {
  const { paths, components } = openApiDocument('/') as object as DescribedApi
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  expect(operations.length).toBeGreaterThan(5)
  const { parameters, responses, schemas } = components
  const described = [
    ...operations,
    ...[parameters, responses, schemas].flatMap((all) => Object.values(all)),
  ]
  expect(described.filter(({ description }) => !description)).toEqual([])
  expect(operations.filter(({ summary }) => !summary)).toEqual([])
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

const isSentence = (text: string) => /^[A-Z0-9/].{15,}\.$/s.test(text)
