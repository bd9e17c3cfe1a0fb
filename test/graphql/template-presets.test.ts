import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileTemplate } from '../../src/templates/compile-template.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'

let posthorn: TestApp
beforeAll(async () => {
  posthorn = await startTestApp()
})
afterAll(() => posthorn[Symbol.asyncDispose]())

const PRESETS = `query ($eventType: String!) {
  templatePresets { target name urlHint template(eventType: $eventType) } }`

interface Preset {
  readonly target: string
  readonly name: string
  readonly urlHint: string
  readonly template: string
}

test('each target has a template that a webhook accepts', async () => {
  const { templatePresets } = await posthorn.graphql(PRESETS, { eventType: JOINED })
  expect(templatePresets.map(({ target }: Preset) => target)).toEqual([
    ...['SLACK', 'MICROSOFT_TEAMS', 'DISCORD', 'GOOGLE_CHAT', 'PAGERDUTY'],
  ])
  for (const { template, urlHint } of templatePresets as Preset[]) {
    expect(compileTemplate(template, ['template']).issues).toEqual([])
    expect(template).toContain('$.attendee.email')
    // Without POSTHORN_PUBLIC_URL, no delivery has a link.
    expect(template).not.toContain('delivery.url')
    expect(urlHint).toMatch(/^https:/)
    const { createWebhook } = await posthorn.graphql(
      `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
        ... on CreateWebhookSuccess { webhook { template } } } }`,
      { input: { url: 'https://example.com/', eventSubscriptions: [JOINED], template } },
    )
    expect(createWebhook.webhook).toEqual({ template })
  }
})

test('an unknown event type has no template, and the error names the nearest', async () => {
  await expect(
    posthorn.graphql(PRESETS, { eventType: 'event_attendee.joined_evnt' }),
  ).rejects.toThrow(
    `There is no event type \\"event_attendee.joined_evnt\\". Did you mean \\"${JOINED}\\"?`,
  )
})
