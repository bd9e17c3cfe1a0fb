import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: the bodies of other people's APIs
type Json = any

/** The template of a target that the console shows. */
export function templateText(target: string): string {
  const path = `../../../../packages/console/webhooks/body/templates/${target}.json`
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}

/** Fails if a target would reject the body, by its published limits: docs/guides/bodies.md has their sources. */
export const CHECKS: Readonly<Record<string, (body: Json) => void>> = {
  slack(body) {
    within(body.text, 40_000)
    count(body.blocks, 1, 50)
    for (const block of body.blocks) {
      if (block.type === 'header') within(block.text.text, 150)
      if (block.type === 'section') {
        if (block.text) within(block.text.text, 3_000)
        if (block.fields) count(block.fields, 1, 10)
        for (const field of block.fields ?? []) within(field.text, 2_000)
      }
      if (block.type === 'context') {
        count(block.elements, 1, 10)
        for (const element of block.elements) within(element.text, 3_000)
      }
    }
    // Not published: longer messages are answered by msg_blocks_too_long.
    expect(JSON.stringify(body.blocks).replaceAll(/\\u[\da-f]{4}/g, '.').length).toBeLessThan(
      13_000,
    )
  },
  'microsoft-teams'(body) {
    count(body.attachments, 1, 1)
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(28 * 1024)
    for (const block of body.attachments[0].content.body) {
      for (const run of block.inlines ?? []) within(run.text, 28 * 1024)
    }
  },
  discord(body) {
    count(body.embeds, 1, 10)
    expect(body.allowed_mentions).toEqual({ parse: [] })
    for (const { title, description, fields, timestamp } of body.embeds) {
      within(title, 256)
      expect(description.length).toBeLessThanOrEqual(4_096)
      count(fields, 0, 25)
      for (const { name, value } of fields) {
        within(name, 256)
        within(value, 1_024)
      }
      const texts = [title, description, ...fields.flatMap((one: Json) => [one.name, one.value])]
      expect(texts.join('').length).toBeLessThanOrEqual(6_000)
      expect(new Date(timestamp).toISOString()).toBe(timestamp)
    }
  },
  'google-chat'(body) {
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(32_000)
    const [{ card }] = body.cardsV2
    within(card.header.title, 200)
    count(card.sections[0].widgets, 1, 100)
    for (const { textParagraph, decoratedText } of card.sections[0].widgets) {
      within(textParagraph?.text ?? decoratedText.text, 4_096)
    }
  },
  pagerduty(body) {
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(512 * 1024)
    within(body.dedup_key, 255)
    within(body.payload.summary, 1_024)
    within(body.payload.source, 1_024)
    expect(['trigger', 'resolve']).toContain(body.event_action)
    expect(['critical', 'error', 'warning', 'info']).toContain(body.payload.severity)
    expect(new Date(body.payload.timestamp).toISOString()).toBe(body.payload.timestamp)
  },
}

function within(text: string, max: number): void {
  expect(text.trim()).not.toBe('')
  expect(text.length).toBeLessThanOrEqual(max)
}

function count(list: unknown[], min: number, max: number): void {
  expect(list.length).toBeGreaterThanOrEqual(min)
  expect(list.length).toBeLessThanOrEqual(max)
}
