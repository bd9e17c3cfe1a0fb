import { beforeAll, expect } from 'vitest'
import { createKey } from './support/call.ts'
import { open, openDesk, page, reader, server, story } from './support/desk.ts'

/* A visit fails its test for a request to another origin, and for a violation of the Content-Security-Policy. */
openDesk()

// Of tokens that the server rejects.
beforeAll(() => reader.expectPageErrors(/status of 401/))

story('the account menu leads to GraphiQL, which runs an operation by the session', async () => {
  await open('/webhooks')
  await page.getByRole('button', { name: 'Account and appearance' }).click()
  const link = page.getByRole('menuitem', { name: 'GraphiQL' })
  expect(await link.getAttribute('href')).toBe('/graphql')
  await page.goto(`${server.url}/graphql`)
  await write('query Mine { viewer { organization { name } } }')
  await execute()
  await expectResponse('"name": "My organization"')
})

story('operations run by a token typed into the headers, and nothing stores it', async () => {
  const publisher = await createKey(server, ['events:publish'])
  await write('query ByToken { viewer { scopes } }')
  await page.getByRole('button', { name: 'Headers' }).click()
  for (const [token, expected] of [
    [publisher, '"events:publish"'],
    ['phk_nothing', 'UNAUTHENTICATED'],
  ]) {
    await fill(
      '.graphiql-editor-tool .graphiql-editor:visible',
      JSON.stringify({ authorization: `Bearer ${token}` }),
    )
    await execute()
    await expectResponse(expected as string)
    expect(await responseText()).not.toContain('admin')
  }
  // GraphiQL saves the tabs half a second after a change.
  await expect.poll(() => stored('localStorage')).toContain('ByToken')
  expect(await stored('localStorage')).not.toContain('phk_')
  expect(await stored('sessionStorage')).not.toContain('phk_')
  expect(page.url()).not.toContain('phk_')
})

story('the graph of events has a page of its own', async () => {
  await page.goto(`${server.url}/graphql/events`)
  await write('query OfEvents { __type(name: "EventAttendeeJoinedEvent") { name } }')
  await execute()
  await expectResponse('"name": "EventAttendeeJoinedEvent"')
})

story('operations survive a reload, and signing out deletes them and the cookie', async () => {
  await page.reload()
  await page.locator('.graphiql-query-editor', { hasText: 'OfEvents' }).waitFor()
  await open('/webhooks')
  await page.getByRole('button', { name: 'Account and appearance' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('API key', { exact: true }).waitFor()
  expect(await stored('localStorage')).not.toContain('graphiql')
  expect(await page.context().cookies()).toEqual([])
  await page.goto(`${server.url}/console/webhooks`)
  await page.getByLabel('API key', { exact: true }).waitFor()
})

/** Replaces the operation in the open tab. */
async function write(operation: string): Promise<void> {
  await fill('.graphiql-query-editor', operation)
  const [, name = ''] = operation.split(/\W/)
  await page.locator('.graphiql-query-editor', { hasText: name }).waitFor()
}

async function fill(editor: string, text: string): Promise<void> {
  await page.locator(`${editor} .view-line`).first().waitFor()
  await page.locator(`${editor} textarea`).first().focus()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

/** GraphiQL ignores the button until both editors are there. */
async function execute(): Promise<void> {
  await page.locator('.result-window .view-line').first().waitFor({ state: 'attached' })
  await page.getByRole('button', { name: /Execute/ }).click()
}

/** The response without white space: the editor wraps its lines. */
async function responseText(): Promise<string> {
  const text = await page.locator('.result-window .view-lines').textContent()
  return (text ?? '').replaceAll(/\s/g, '')
}

async function expectResponse(part: string): Promise<void> {
  await expect.poll(responseText, { timeout: 15_000 }).toContain(part.replaceAll(' ', ''))
}

async function stored(storage: 'localStorage' | 'sessionStorage'): Promise<string> {
  return await page.evaluate<string>(`JSON.stringify(${storage})`)
}
