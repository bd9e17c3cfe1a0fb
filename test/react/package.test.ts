import { cp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { createHostProject, type HostProject, run, withReact18 } from './support/packed-package.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const readJson = async (file: string) => JSON.parse(await readFile(path.join(ROOT, file), 'utf8'))

/** A project that has nothing but React and the packed package. */
let host: HostProject
let hostWith18: HostProject

beforeAll(async () => {
  host = await createHostProject()
  hostWith18 = await withReact18(host)
  const readme = await readFile(path.join(ROOT, 'packages/react/README.md'), 'utf8')
  const [, example = ''] = /`webhooks-page\.tsx`:\n\n```tsx\n(.*?)```/s.exec(readme) ?? []
  expect(example).toContain('<PosthornProvider')
  for (const { folder } of [host, hostWith18]) {
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(path.join(folder, 'webhooks-page.tsx'), example)
  }
})
afterAll(async () => {
  await host?.[Symbol.asyncDispose]()
  await hostWith18?.[Symbol.asyncDispose]()
})

test('the package has the version and the license of the server, and needs React alone', async () => {
  const { version, license } = await readJson('packages/posthorn/package.json')
  const react = await readJson('packages/react/package.json')
  expect(react).toMatchObject({ version, license, sideEffects: false })
  expect(react.dependencies).toBeUndefined()
  expect(Object.keys(react.peerDependencies)).toEqual(['react'])
})

test('the package has its compiled files, and no sources', () => {
  expect(host.packed).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts']),
  )
  expect(host.packed.filter((file) => !/^dist\/.*\.(js|d\.ts)$/.test(file)).toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
    'src/generated/persisted-documents.json',
  ])
})

test.each(['bundler', 'nodenext'])(
  'the example of the README compiles with the module resolution %s',
  async (resolution) => {
    await typecheck(host, resolution)
  },
)

test('the example of the README compiles with React 18', async () => {
  await typecheck(hostWith18, 'bundler')
})

test('the host application of the tests compiles', async () => {
  for (const name of ['main.tsx', 'hooks-page.tsx']) {
    await cp(path.join(ROOT, 'test/react/host', name), path.join(host.folder, name))
  }
  await typecheck(host, 'bundler')
})

test('a wrong prop of a component does not compile', async () => {
  const example = path.join(host.folder, 'webhooks-page.tsx')
  const text = await readFile(example, 'utf8')
  try {
    await writeFile(example, text.replace('limit={20}', 'limit="20"'))
    await expect(typecheck(host, 'bundler')).rejects.toThrow(
      "Type 'string' is not assignable to type",
    )
  } finally {
    await writeFile(example, text)
  }
})

async function typecheck({ folder }: HostProject, moduleResolution: string): Promise<void> {
  const module = moduleResolution === 'nodenext' ? 'nodenext' : 'esnext'
  const compilerOptions = {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    jsx: 'react-jsx',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
    module,
    moduleResolution,
  }
  const settings = { compilerOptions, include: ['*.tsx'] }
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(settings))
  await run('tsc', ['--project', '.'], folder)
}

test('a host that uses one hook bundles no component', async () => {
  expect(await bundle("export { WebhookForm } from '@posthorn/react'")).toContain('webhook-form')
  const bundled = await bundle("export { useWebhooks } from '@posthorn/react'")
  expect(bundled).toContain('PosthornWebhooks')
  expect(bundled).not.toContain('webhook-form')
})

/** The text of a bundle, without React. */
async function bundle(source: string): Promise<string> {
  const entry = path.join(host.folder, 'entry.js')
  await writeFile(entry, source)
  const built = await build({
    root: host.folder,
    logLevel: 'silent',
    build: {
      write: false,
      lib: { entry, formats: ['es'] },
      rolldownOptions: { external: /^react/ },
    },
  })
  const outputs = [built].flat() as { output: { code?: string }[] }[]
  return outputs.flatMap(({ output }) => output.map(({ code }) => code)).join('\n')
}

test('a server renders the components without a request', async () => {
  await writeFile(
    path.join(host.folder, 'render.js'),
    `import { DeliveryLog, PosthornProvider, WebhookForm, WebhookList } from '@posthorn/react'
     import { createElement } from 'react'
     import { renderToString } from 'react-dom/server'
     const getToken = () => { throw new Error('A server asks for no token.') }
     console.log(renderToString(createElement(PosthornProvider, { url: 'https://example.com/graphql', getToken },
       createElement(WebhookList), createElement(WebhookForm), createElement(DeliveryLog))))`,
  )
  const html = await run('node', ['--preserve-symlinks', 'render.js'], host.folder)
  expect(html.match(/data-state="loading"/g)).toHaveLength(3)
})

test('a hook outside of the provider throws an error that names the provider', async () => {
  await writeFile(
    path.join(host.folder, 'outside.js'),
    `import { WebhookList } from '@posthorn/react'
     import { createElement } from 'react'
     import { renderToString } from 'react-dom/server'
     renderToString(createElement(WebhookList))`,
  )
  await expect(run('node', ['--preserve-symlinks', 'outside.js'], host.folder)).rejects.toThrow(
    'need a <PosthornProvider> above them',
  )
})

test('a server that runs trusted documents only runs those of the package, by their hashes', async () => {
  const installed = path.join(host.folder, 'node_modules/@posthorn/react')
  const file = path.join(installed, 'src/generated/persisted-documents.json')
  await using posthorn = await startTestApp({
    role: 'api',
    environment: { POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS: file },
  })
  const { createPosthornClient } = await import(path.join(installed, 'dist/index.js'))
  const documents = await import(path.join(installed, 'dist/generated/graphql.js'))
  const options = { url: `${posthorn.app.url}/graphql`, getToken: () => posthorn.tenant.token }
  const { PosthornWebhooksDocument, PosthornWebhookDocument } = documents
  const trusting = createPosthornClient({ ...options, trustedDocuments: true })
  expect(await trusting.request(PosthornWebhooksDocument, {})).toMatchObject({
    ok: true,
    value: { webhooks: { nodes: [] } },
  })
  const variables = { id: 'wh_01arz3ndektsv4rrffq69g5fav' }
  expect(await trusting.request(PosthornWebhookDocument, variables)).toMatchObject({
    ok: true,
    value: { webhook: null },
  })
  expect(await createPosthornClient(options).request(PosthornWebhooksDocument, {})).toMatchObject({
    error: { code: 'TRUSTED_DOCUMENTS_ONLY', canRetry: false },
  })
})
