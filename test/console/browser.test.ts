import { expect, inject, test } from 'vitest'
import { REMEDY } from './browser.ts'

test.runIf(process.env['CI'])('CI has a browser to test the console with', () => {
  expect(inject('chromium'), REMEDY).not.toBeNull()
})
