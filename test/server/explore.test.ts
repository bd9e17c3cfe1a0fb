import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startTestApp } from '../support/app.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

async function startServer(environment: Record<string, string>) {
  const posthorn = await startTestApp({ role: 'api', environment })
  onTestFinished(() => posthorn[Symbol.asyncDispose]())
  return (at: string, headers: Record<string, string> = {}) =>
    fetch(posthorn.app.url + at, {
      headers: { accept: BROWSER, ...headers },
      redirect: 'manual',
    })
}

const offers = async (response: Response) =>
  (await response.text()).includes('name="posthorn-explore" content="on"')

test('POSTHORN_GRAPHIQL=true leads browsers from /graphql to Explore, in the console and not in the portal', async () => {
  const get = await startServer({ POSTHORN_GRAPHIQL: 'true' })
  const redirect = await get('/graphql')
  expect(redirect.status).toBe(302)
  expect(redirect.headers.get('location')).toBe('/console/explore')
  expect(redirect.headers.get('vary')).toContain('accept')
  expect(await offers(await get('/console/explore'))).toBe(true)
  expect(await offers(await get('/portal'))).toBe(false)
})

test('programs, and browsers with an operation in the URL, get the API', async () => {
  const get = await startServer({ POSTHORN_GRAPHIQL: 'true' })
  for (const accept of ['*/*', 'application/json', 'application/graphql-response+json']) {
    expect((await get('/graphql?query={__typename}', { accept })).status).toBe(200)
    expect((await get('/graphql', { accept })).status).not.toBe(302)
  }
  expect((await get('/graphql?query={__typename}')).status).not.toBe(302)
})

test.each([
  ['POSTHORN_GRAPHIQL=false', async () => ({ POSTHORN_GRAPHIQL: 'false' })],
  ['no setting and a DATABASE_URL', async () => ({})],
  ['trusted documents, because no other document could run', trustedDocuments],
])('with %s there is no Explore', async (_setting, environment) => {
  const get = await startServer(await environment())
  const answer = await get('/graphql')
  expect(answer.status).not.toBe(302)
  expect(answer.headers.get('content-type')).not.toContain('html')
  expect(await offers(await get('/console/explore'))).toBe(false)
})

async function trustedDocuments() {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn explore '))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'documents.json')
  await writeFile(file, '{}')
  return { POSTHORN_GRAPHIQL: 'true', POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS: file }
}
