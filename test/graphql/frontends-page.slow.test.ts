import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildSchema, isInterfaceType, parse } from 'graphql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { revokeApiKey } from '../support/api-keys.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { until } from '../support/until.ts'
import { document } from './support/document.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const MODULES = path.join(ROOT, 'test/frontends/node_modules')

/** The files to which docs/guides/frontends.md links. */
const FILES = path.join(ROOT, 'docs/examples/frontends')

/** A project with these files, the schema and the packages that they import. */
async function createProject(names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-frontend-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(path.join(folder, 'src'))
  await symlink(MODULES, path.join(folder, 'node_modules'))
  await copyFile(path.join(ROOT, 'schema.graphql'), path.join(folder, 'schema.graphql'))
  const settings = { 'package.json': { type: 'module' }, 'tsconfig.json': TSCONFIG }
  for (const [name, value] of Object.entries(settings)) {
    await writeFile(path.join(folder, name), JSON.stringify(value))
  }
  for (const name of names) await copyFile(path.join(FILES, name), path.join(folder, name))
  return folder
}

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    // The types of Apollo Client do not compile with exactOptionalPropertyTypes.
    skipLibCheck: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: [],
  },
  include: ['src'],
}

async function run(folder: string, program: string, ...args: string[]): Promise<string> {
  const PATH = `${path.join(MODULES, '.bin')}:${process.env['PATH']}`
  const options = { cwd: folder, env: { ...process.env, PATH, NO_COLOR: '1' } }
  const { stdout, stderr } = await promisify(execFile)(program, args, options).catch(
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${program} ${args.join(' ')}:\n${error.stdout}${error.stderr}`)
    },
  )
  return stdout + stderr
}

/** Finishes a delivery by canceling it, because no worker runs here. */
async function publishAndCancel({ graphql }: TestApp): Promise<void> {
  await graphql(document('events', 'PublishEvent'), { input: { type: JOINED, data: {} } })
  const { deliveries } = await graphql('{ deliveries(first: 1) { nodes { id } } }')
  await graphql(document('bulk-tasks', 'CancelDeliveries'), {
    input: { ids: [deliveries.nodes[0].id] },
  })
}

describe('docs/examples/frontends', await requirePackages('test/frontends'), () => {
  test('the documents compile with GraphQL Code Generator, without a null that stands for an error', async () => {
    const folder = await createProject(['codegen.ts', 'src/webhooks.ts', 'src/client.ts'])
    await run(folder, 'graphql-codegen', '--config', 'codegen.ts')
    await run(folder, 'tsc', '--project', '.')
    const types = await readFile(path.join(folder, 'src/graphql/graphql.ts'), 'utf8')
    expect(types).toContain('createdAt: string, health: { state: WebhookState')
    expect(types).toContain('WebhookListQuery = { webhooks: { nodes: Array<')
  })

  test('the client compiles with Apollo Client, and knows the types of UserError', async () => {
    const folder = await createProject(['src/apollo.ts'])
    await run(folder, 'tsc', '--project', '.')
    const text = await readFile(path.join(FILES, 'src/apollo.ts'), 'utf8')
    const [, listed = ''] = /UserError: \[(.*?)\]/s.exec(text) ?? []
    const schema = buildSchema(await readFile(path.join(ROOT, 'schema.graphql'), 'utf8'))
    const userError = schema.getType('UserError')
    const types = isInterfaceType(userError) ? schema.getPossibleTypes(userError) : []
    expect([...listed.matchAll(/\w+/g)].map(([name]) => name).toSorted()).toEqual(
      types.map(({ name }) => name).toSorted(),
    )
  })

  test('the Apollo client subscribes, also when its session has ended, and learns of an error', async () => {
    await using posthorn = await startTestApp({ role: 'api' })
    const create = document('frontend-sessions', 'CreateFrontendSession')
    const sessions: { id: string }[] = []
    async function requestToken(): Promise<string> {
      const input = { scopes: ['deliveries:read'] }
      const { createFrontendSession } = await posthorn.graphql(create, { input })
      sessions.push(createFrontendSession.frontendSession)
      return createFrontendSession.token
    }
    const folder = await createProject(['src/apollo.ts'])
    const { createClient } = await import(path.join(folder, 'src/apollo.ts'))
    // biome-ignore lint/suspicious/noExplicitAny: the test compiles the client
    const client: any = createClient(`${posthorn.app.url}/graphql`, requestToken)
    const first = await client.query({ query: parse('{ viewer { apiKey { id } } }') })
    await revokeApiKey(posthorn.database.prisma, first.data.viewer.apiKey.id)

    const received: unknown[] = []
    const query = parse('subscription { deliveryFinished { state } }')
    const subscription = client
      .subscribe({ query })
      .subscribe((result: unknown) => received.push(result))
    onTestFinished(() => subscription.unsubscribe())
    const input = { url: 'https://example.com', eventSubscriptions: [JOINED], enabled: true }
    await posthorn.graphql(document('webhooks', 'CreateWebhook'), { input })
    await until(async () => {
      await publishAndCancel(posthorn)
      return received.length > 0
    }, 'a delivery finishes')
    expect(received[0]).toMatchObject({ data: { deliveryFinished: { state: 'CANCELED' } } })
    expect(sessions).toHaveLength(2)

    const unknown = parse('subscription { attemptRecorded(webhookId: "wh_x") { id } }')
    const { error } = await new Promise<{ error?: Error }>((resolve) => {
      client.subscribe({ query: unknown }).subscribe(resolve)
    })
    expect(error?.message).toContain('webhookId must be the id of a webhook')
  })

  test('the fragments compile with the Relay compiler, without a null that stands for an error', async () => {
    const folder = await createProject(['relay.config.json', 'src/webhook-list.ts'])
    await run(folder, 'relay-compiler')
    const generated = (name: string) =>
      readFile(path.join(folder, `src/__generated__/${name}.graphql.ts`), 'utf8')
    const row = await generated('webhookList_row')
    expect(row).toContain('readonly createdAt: string;')
    expect(row).toMatch(/readonly health: \{[^}]*\};/)
    expect(await generated('webhookList_list')).toMatch(/webhooks: \{.*?\n {2}\};/s)
  })
})
